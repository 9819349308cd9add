#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "nvme/nvme_controller.h"

namespace cavern::testing {

/// A host with memory, a driver of a few lines, and a medium of bytes behind the controller.
class NvmeHost final : private nvme::MemoryIf, private nvme::MediumIf, private nvme::InterruptIf {
  public:
    static constexpr std::uint32_t kPage = 4096;
    static constexpr std::size_t kMemory = 16 << 20;
    static constexpr std::uint64_t kBlocks = 4096;

    /// What was read from a completion queue.
    struct Completion {
        std::uint32_t result = 0;
        std::uint16_t head = 0;
        std::uint16_t queue = 0;
        std::uint16_t id = 0;
        nvme::Status status = 0;
    };

    explicit NvmeHost(nvme::Controller::Params params = {});

    [[nodiscard]] nvme::Controller& controller() { return controller_; }
    void write(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes = 4) {
        controller_.write_register(offset, bytes, value);
    }
    [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::uint32_t bytes = 4) const {
        return controller_.read_register(offset, bytes);
    }
    /// Lets it work until it has nothing to do, and the medium too unless it is held.
    void run();
    /// The admin queue of `entries`, and the controller enabled.
    void enable(std::uint32_t entries = 16);
    /// A pair of I/O queues.
    void create_pair(std::uint16_t id, std::uint32_t entries, std::uint16_t vector = 0);
    /// Puts an entry into a queue and rings; returns its identifier.
    std::uint16_t submit(std::uint16_t queue, nvme::Command command, bool ring = true);
    void ring(std::uint16_t queue);
    /// Takes what has the phase of a new entry; rings for what it took unless told not to.
    std::vector<Completion> reap(std::uint16_t queue, bool ring = true);
    /// One command to its end.
    Completion execute(std::uint16_t queue, const nvme::Command& command);
    nvme::Status status_of(std::uint16_t queue, const nvme::Command& command) {
        return execute(queue, command).status;
    }

    [[nodiscard]] std::byte* at(std::uint64_t address) { return &memory_[address]; }
    [[nodiscard]] const std::vector<std::byte>& medium() const { return medium_; }
    [[nodiscard]] std::vector<unsigned> interrupts() const { return interrupts_; }
    /// While held, the medium finishes nothing.
    void hold(bool held) { held_ = held; }
    [[nodiscard]] std::size_t held() const { return waiting_.size(); }

    static nvme::Command admin(nvme::AdminOpcode opcode, std::uint32_t cdw10 = 0,
                               std::uint32_t cdw11 = 0, std::uint64_t prp1 = 0,
                               std::uint32_t nsid = 0);
    static nvme::Command io(nvme::NvmOpcode opcode, std::uint64_t lba, std::uint32_t blocks,
                            std::uint64_t prp1 = 0, std::uint64_t prp2 = 0, std::uint32_t nsid = 1);

  private:
    struct Rings {
        std::uint64_t submission = 0;
        std::uint64_t completion = 0;
        std::uint32_t entries = 0;
        std::uint32_t tail = 0;
        std::uint32_t head = 0;
        bool phase = true;
    };
    struct Waiting {
        std::uint32_t slot;
        nvme::Status status;
    };

    bool read(std::uint64_t address, std::byte* to, std::uint32_t bytes) override;
    bool write(std::uint64_t address, const std::byte* from, std::uint32_t bytes) override;
    void start(const nvme::Io& io) override;
    void raise(std::uint16_t vector) override { ++interrupts_.at(vector); }
    void place(std::uint16_t id, std::uint32_t entries);

    std::vector<std::byte> memory_ = std::vector<std::byte>(kMemory);
    std::vector<std::byte> medium_ = std::vector<std::byte>(kBlocks * nvme::kBlockBytes);
    std::vector<unsigned> interrupts_ = std::vector<unsigned>(64);
    std::vector<Rings> rings_ = std::vector<Rings>(64);
    std::deque<Waiting> waiting_;
    bool held_ = false;
    std::uint16_t next_id_ = 0;
    nvme::Controller controller_;
};

} // namespace cavern::testing
