#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/base/decision_log.h"
#include "core/buffer/ncq_aware.h"
#include "core/buffer/write_buffer.h"
#include "core/drive/decision.h"
#include "core/drive/decision_call.h"
#include "core/drive/execution_time.h"
#include "core/drive/map_log.h"
#include "core/drive/page_versions.h"
#include "core/drive/trim_map.h"
#include "core/ftl/ftl.h"
#include "core/partition/adaptive_partition.h"

namespace cavern {

class StateArchive;

/// What pages in flash hold that are not of the host, where power is lost.
struct FlashContents {
    std::shared_ptr<TrimContents> trims;
    std::shared_ptr<MapLogContents> log; ///< null: nothing is written of the map
};

/// The decision core put together: write buffer, allocator, FTL. Every host page passes through
/// here in the order the device takes commands, and is decided at once; nothing here knows time.
/// Each decision answers with a Batch. Without a write buffer (policy `none`) each write is a batch
/// of one page.
class DriveCore {
  public:
    /// `buffer` may be null (write-through). `log` may be null. `load` is what the parts look at
    /// that want to know how busy dies are.
    DriveCore(const Geometry& geometry, std::unique_ptr<WriteBuffer> buffer,
              std::unique_ptr<AllocatorIf> allocator, std::unique_ptr<FtlIf> ftl, ArrayTimes times,
              DecisionLogIf* log, std::unique_ptr<DieLoad> load = nullptr);
    DriveCore(const DriveCore&) = delete; // batches refer to it
    DriveCore& operator=(const DriveCore&) = delete;

    /// Divides memory between buffer and mapping cache as `partition` says, from now on. Needs
    /// both.
    void partition_by(std::unique_ptr<AdaptivePartition> partition);
    [[nodiscard]] const AdaptivePartition* partition() const { return partition_.get(); }
    /// All pages of a host request have been decided. Null unless that changed the sizes of buffer
    /// and mapping cache; else what the change takes.
    const Batch* end_request() {
        return partition_ != nullptr && partition_->count_request() ? repartition() : nullptr;
    }

    /// Writes name the reclaim unit handle of their pages (begin_write()).
    [[nodiscard]] bool places_streams() const { return handles_ != nullptr; }
    /// The pages written from now on are of a command with this stream.
    void begin_write(std::uint16_t stream) { handles_->begin_command(stream); }
    /// `pages_in_command`: pages that the command writes, this one among them. `sectors`: of the
    /// page; they count where track_sectors() was called.
    WriteDecision write(Lpn lpn, std::uint32_t pages_in_command = 1,
                        SectorMask sectors = kAllSectors);
    /// The same for a write that is done when it is in flash: the page is the only victim, in the
    /// frame of a hit, else without one. No other page leaves for it.
    WriteDecision write_through(Lpn lpn, std::uint32_t pages_in_command = 1,
                                SectorMask sectors = kAllSectors);
    ReadDecision read(Lpn lpn, SectorMask sectors = kAllSectors);
    /// Where mapping units share NAND pages, or pages word lines: a command has been decided whose
    /// pages went to flash one by one. Null unless a NAND page lacks some. All other calls leave no
    /// such page behind; none by which pages leave the buffer comes before this one.
    const Batch* complete_pages();
    /// Sectors of a page are told apart; the buffer, if any, does so. A read of the flash moves
    /// pieces of `read_grain` sectors, those that are needed; 0: whole pages.
    void track_sectors(std::uint32_t read_grain = 0) {
        tracks_sectors_ = true;
        read_grain_ = read_grain;
    }
    [[nodiscard]] bool tracks_sectors() const { return tracks_sectors_; }
    /// TRIM is a hint: from now on the device takes no notice of it.
    void ignore_trims() { ignores_trims_ = true; }
    [[nodiscard]] bool ignores_trims() const { return ignores_trims_; }
    /// Discards `count` pages from `first` on, everywhere.
    TrimDecision trim(Lpn first, std::uint64_t count = 1);
    /// Writes back the next batch of a FLUSH; null when nothing is dirty any more.
    const Batch* flush_step();
    /// Evicts one unit if the trigger wants that ahead of a full buffer; `load` says what is under
    /// way. Called until it returns null. Without a write buffer always null.
    const Batch* evict_ahead(const BufferLoad& load);
    /// Whether evict_ahead() can ever do anything.
    [[nodiscard]] bool works_ahead() const {
        return buffer_ != nullptr && buffer_->trigger().works_ahead();
    }
    /// Lets the translation layer work for an idle plane ahead of need (IdleWorkIf); null if
    /// there is nothing to do.
    const Batch* maintain(PlaneId plane, std::uint32_t copies);
    /// RefreshIf
    void refresh(Ppn page) { ftl_->parts().refresh->refresh(page); }
    /// Writes pages together past the buffer, as preconditioning does; that takes no execution
    /// time. `count` >= 1.
    const Batch& fill(const Lpn* lpns, std::size_t count);

    /// `listener` hears of every call above from now on.
    void listen(std::unique_ptr<DecisionLogIf> listener) { listener_ = std::move(listener); }
    [[nodiscard]] const DecisionLogIf* listener() const { return listener_.get(); }
    /// The calls that follow are for the host's request of this number.
    void begin_request(std::uint64_t number) {
        if (watch_ != nullptr) {
            watch_->begin_request(number);
        }
        if (listener_ != nullptr) {
            listener_->begin_request(number);
        }
    }
    /// For runs without time, after every page: evict_ahead() as often as the trigger wants it, if
    /// the page was inserted. What is evicted counts as under way until this returns, as if the
    /// pages of an insert left together. Calls `carry_out` with each batch.
    template <typename CarryOut>
    void evict_ahead_untimed(CarryOut carry_out) {
        if (!inserted_) {
            return;
        }
        inserted_ = false;
        BufferLoad load;
        load.idle_dies = geometry_.dies();
        while (const Batch* batch = evict_ahead(load)) {
            ++load.in_flight_units;
            load.in_flight += static_cast<std::uint32_t>(batch->victims.size());
            carry_out(*batch);
        }
    }

    // ---- loss of power, in drive_core_recovery.cpp
    /// The drive can lose its power: versions are sequence numbers, and TRIMs are recorded by
    /// `trims`, which may be null. `log`, which may be null, is what it writes of its map. Called
    /// before anything is decided.
    void survive_power_loss(std::unique_ptr<TrimMap> trims,
                            std::unique_ptr<MapLogIf> log = nullptr);
    /// How many operations that were decided are not done.
    using UnderWay = std::function<std::uint64_t()>;
    /// Whoever carries operations out tells how many of those that it was given are left: what is
    /// noted of pages that flash cannot hold any more may be forgotten.
    void carried_out_by(UnderWay left) { left_ = std::move(left); }
    /// With those of the decision being made; as long as nobody tells, as many as you like.
    [[nodiscard]] std::uint64_t under_way() const {
        return left_ == nullptr ? kAnyNumber : left_() + ops_.size();
    }
    /// What was decided so far is in flash, and the log of the map, if any, begins.
    void begin_map_log(NandArray& array);
    /// The same of a drive that was mounted.
    void resume_map_log(const NandArray& array);
    [[nodiscard]] MapLogIf* map_log() { return map_log_.get(); }
    [[nodiscard]] const MapLogIf* map_log() const { return map_log_.get(); }
    /// A command is about to be answered as durable: what that takes beside its pages; null:
    /// nothing.
    const Batch* seal() { return map_log_ == nullptr ? nullptr : seal_in_log(); }
    /// The power is gone, and the write buffer is drained: blocks are not written whole any more.
    void begin_drain() {
        if (buffer_ != nullptr) {
            buffer_->stop_padding();
        }
    }
    /// What stays with the flash when the drive loses its power; records must be kept.
    [[nodiscard]] FlashContents flash_contents() const;
    /// Takes over what recovery has found: the layer's map, the version of each page, by logical
    /// page as in `drive`, and the largest sequence number seen.
    void mount(const MountedDrive& drive, const std::vector<PageVersion>& versions,
               PageVersion latest);
    /// Logical pages that the host can address; what lies behind them holds records.
    [[nodiscard]] std::uint64_t host_pages() const {
        return ftl_->logical_pages() - (trims_ != nullptr ? trims_->records() : 0);
    }
    [[nodiscard]] const TrimMap* trims() const { return trims_.get(); }
    /// Programs of all kinds since the counters were reset.
    [[nodiscard]] std::uint64_t programs() const {
        return ftl_->programs() + (map_log_ != nullptr ? map_log_->programs() : 0);
    }
    /// `watch`, which may be null, hears of writes and of the programs that they lead to.
    void watch(DecisionLogIf* watch) { watch_ = watch; }

    /// Who is told of commands that wait in the device's queue; null: nobody wants to know.
    [[nodiscard]] NcqAware* queue_pins() { return queue_pins_; }
    [[nodiscard]] const NcqAware* queue_pins() const { return queue_pins_; }
    /// `pins` is the eviction policy of the buffer.
    void watch_queue(NcqAware* pins) { queue_pins_ = pins; }

    /// Has what the buffer's policy asks where pages go live as long as the buffer.
    void keep(std::unique_ptr<const DestinationIf> destination) {
        destination_ = std::move(destination);
    }

    /// Operations of a decision that was made past this class, as preconditioning does.
    void number_versions(FlashOpList& ops) { number(ops); }
    [[nodiscard]] PageVersion newest_version(Lpn lpn) const { return versions_.newest(lpn); }

    [[nodiscard]] const WriteBuffer* buffer() const { return buffer_.get(); }
    [[nodiscard]] WriteBuffer* buffer() { return buffer_.get(); }
    /// For the timed shell to keep true; null if nobody looks at it.
    [[nodiscard]] DieLoad* load() { return load_.get(); }
    [[nodiscard]] FtlIf& ftl() { return *ftl_; }
    [[nodiscard]] const FtlIf& ftl() const { return *ftl_; }
    [[nodiscard]] AllocatorIf& allocator() { return *allocator_; }
    [[nodiscard]] const ExecutionTime& execution_time() const { return execution_time_; }
    /// Reads and writes counted where there is no buffer to count them.
    [[nodiscard]] BufferCounters buffer_counters() const;
    void reset_counters();
    /// The run begins: counters are zero and what was learnt is forgotten.
    void begin_run();
    [[nodiscard]] std::uint64_t check_invariants() const;
    /// Saves or loads all that was decided (StateArchive): between commands, of a core that records
    /// neither TRIMs nor its map. `buffer`: its write buffer, and what follows it, has been used.
    void serialize(StateArchive& archive, bool buffer);
    /// The user's error by which a decision ended, such as a worn-out drive; null: none. For
    /// callers that a decision's exception does not reach as it was: the kernel of SystemC hands on
    /// the text of what a process throws, not its type.
    [[nodiscard]] std::exception_ptr user_error() const { return user_error_; }

  private:
    /// Decides. A listener hears of the call before and after; where there is none, that costs a
    /// look.
    template <typename Act>
    [[gnu::always_inline]] auto decide(Act act, DecisionCall::Kind kind, Lpn lpn = kNoLpn,
                                       std::uint64_t count = 1, PlaneId plane = {},
                                       std::uint32_t copies = 0, const Lpn* lpns = nullptr) {
        return listener_ == nullptr ? act() : told(act, {kind, lpn, count, plane, copies, lpns});
    }
    template <typename Act>
    [[gnu::noinline]] auto told(Act act, const DecisionCall& call);
    WriteDecision decide_write(Lpn lpn, std::uint32_t pages_in_command, SectorMask sectors);
    WriteDecision decide_write_through(Lpn lpn, std::uint32_t pages_in_command, SectorMask sectors);
    ReadDecision decide_read(Lpn lpn, SectorMask sectors);
    TrimDecision decide_trim(Lpn first, std::uint64_t count);
    const Batch* decide_flush_step();
    const Batch* decide_maintain(PlaneId plane, std::uint32_t copies);
    const Batch& decide_fill(const Lpn* lpns, std::size_t count);

    /// Planes for pages that are written one after the other; those that are programmed as one have
    /// one.
    void place(const Lpn* lpns, std::size_t count, PlaneId* planes) {
        if (nand_pages_ == nullptr) {
            allocator_->place(lpns, count, planes);
        } else {
            place_units(lpns, count, planes);
        }
    }
    /// What NAND pages lack of mapping units, and word lines of pages, is padded.
    void fill_up_pages(FlashOpList& ops) {
        if (nand_pages_ != nullptr) {
            nand_pages_->complete_pages(ops);
            still_fits_ = 0;
        }
    }
    /// Numbers the operations of a decision from `first` on.
    void number(FlashOpList& ops, std::size_t first = 0) {
        versions_.number(ops, first);
        if (trims_ != nullptr) {
            note_programs(ops, first);
        }
    }
    void note_programs(FlashOpList& ops, std::size_t first);
    const Batch* seal_in_log();
    [[nodiscard]] MapView view() const { return {*ftl_, versions_, under_way()}; }
    /// Of a decision after which no NAND page lacks a part: the log may have something due.
    void end_decision() {
        if (map_log_ != nullptr) {
            map_log_->end_decision(view(), ops_);
        }
    }
    /// What is about to be trimmed is noted in flash.
    void record_trim(Lpn first, std::uint64_t count);
    void write_record(Lpn record);
    const Batch* repartition();
    /// The victims that the buffer has chosen are written back; the batch of the decision.
    const Batch& evict();
    /// Likewise of a single page, behind which more of its command may come.
    const Batch& evict_through(bool whole_pages);
    void count_operations(bool whole_pages);
    void place_units(const Lpn* lpns, std::size_t count, PlaneId* planes);
    /// The program numbered `program` takes what the host did not write from the page that it
    /// replaces.
    void read_rest(std::size_t program, SectorSpan missing);
    [[nodiscard]] SectorSpan moved(SectorSpan wanted) const;
    void remember_victims();
    ReadDecision read_rest_of(Lpn lpn, FrameId frame, SectorSpan missing);
    ReadDecision look_up(Lpn lpn, FrameId frame, const Batch& batch);
    void write_back(const std::vector<Victim>& victims);
    /// `act` is what takes room in the flash.
    template <typename Act>
    auto keeping_user_error(Act act);
    /// victims[first .. end), whose planes are chosen, to the FTL.
    void write_unit(const std::vector<Victim>& victims, std::size_t first, std::size_t end);
    void write_one(const Victim& victim);
    /// The program of the page, from number `op` on, takes the data of its frame. Returns the
    /// number of what follows.
    std::size_t name_frame(const Victim& victim, std::size_t op);

    Geometry geometry_;
    std::unique_ptr<WriteBuffer> buffer_;
    std::unique_ptr<AllocatorIf> allocator_;
    std::unique_ptr<FtlIf> ftl_;
    std::unique_ptr<const DestinationIf> destination_; ///< may be null
    ExecutionTime execution_time_;
    PageVersions versions_;
    DecisionLogIf* log_;
    FlashOpList ops_;
    std::vector<FrameId> trimmed_;   ///< frames of the latest TRIM
    std::vector<Victim> through_{1}; ///< the single page of a write-through without a buffer
    const std::vector<Victim> no_victims_;
    const std::vector<FrameId> no_frames_;
    Batch evicting_;        ///< of a decision by which pages leave the buffer
    Batch staying_;         ///< of any other: operations only
    std::vector<Lpn> lpns_; ///< scratch for the allocator
    std::vector<PlaneId> planes_;
    PlaneId plane_{};              ///< of the NAND page, or word line, that is being filled
    std::uint32_t still_fits_ = 0; ///< mapping units in it
    bool tracks_sectors_ = false;
    std::uint32_t read_grain_ = 0; ///< sectors
    bool ignores_trims_ = false;
    std::vector<UnitPage> unit_;
    std::unique_ptr<DieLoad> load_;
    std::unique_ptr<AdaptivePartition> partition_; ///< null: sizes are fixed
    std::uint32_t pages_in_command_ = 0;           ///< of the page written through
    bool inserted_ = false; ///< the latest page accessed was new to the buffer
    BufferCounters unbuffered_;
    std::uint64_t rmw_pages_ = 0;
    NcqAware* queue_pins_ = nullptr;
    ReclaimHandles* handles_; ///< of the FTL, or null
    NandPagesIf* nand_pages_; ///< likewise
    std::exception_ptr user_error_;
    std::unique_ptr<DecisionLogIf> listener_; ///< null: nobody listens
    std::unique_ptr<TrimMap> trims_;          ///< null: power is not lost
    std::unique_ptr<MapLogIf> map_log_;       ///< null: nothing is written of the map
    DecisionLogIf* watch_ = nullptr;
    static constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0} >> 1;
    UnderWay left_; ///< of operations; null: nobody knows
};

} // namespace cavern
