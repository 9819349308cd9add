#include <cstring>
#include <utility>

#include "cavern/nvme.h"
#include "core/base/check.h"
#include "library/nvme_config.h"
#include "library/platform_drive.h"
#include "nvme/nvme_controller.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/time.h"

namespace cavern {
inline namespace v1 {

/// The shell around nvme::Controller: its ports are a drive, the DMA of that drive, and one
/// process, which waits in the controller's place.
class NvmeSsd::Impl final : public sc_core::sc_module,
                            private AtRequestIf,
                            private PlatformClientIf,
                            private HostDmaIf,
                            private nvme::MemoryIf,
                            private nvme::MediumIf,
                            private nvme::InterruptIf {
  public:
    Impl(const sc_core::sc_module_name& name, const DrivePlan& config, Interrupt interrupt)
        : sc_module(name), drive("drive", config, *this), interrupt_(std::move(interrupt)),
          controller_(params(drive.capacity()), *this, *this, *this) {
        SC_HAS_PROCESS(Impl);
        SC_THREAD(work);
    }

    AtTarget target{"register_target", *this};
    PlatformDrive drive;

  private:
    static nvme::Controller::Params params(std::uint64_t capacity) {
        nvme::Controller::Params params;
        params.blocks = capacity / nvme::kBlockBytes;
        return params;
    }

    void work() {
        for (;;) {
            while (controller_.work()) {
            }
            wait(wakes_);
        }
    }

    void request(tlm::tlm_generic_payload& payload) override {
        const unsigned bytes = payload.get_data_length();
        const std::uint64_t offset = payload.get_address();
        if (payload.get_byte_enable_ptr() != nullptr) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        } else if (bytes == 0 || bytes > 8 || payload.get_streaming_width() < bytes) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        } else {
            if (payload.is_read()) {
                std::byte value[8];
                nvme::put(value, controller_.read_register(offset, bytes));
                std::memcpy(payload.get_data_ptr(), value, bytes);
            } else if (payload.is_write()) {
                std::byte value[8]{};
                std::memcpy(value, payload.get_data_ptr(), bytes);
                controller_.write_register(offset, bytes, nvme::get<std::uint64_t>(value));
                notify_at(now_ps(), wakes_);
            }
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        }
        target.respond(payload);
    }

    bool move(tlm::tlm_command command, std::uint64_t address, std::byte* data,
              std::uint32_t bytes) {
        where_[0] = {address, bytes};
        moving_ = true;
        drive.dma.move(command, where_, data, 0, *this);
        while (moving_) {
            wait(moved_);
        }
        return move_ok_;
    }
    void moved(std::uint32_t, bool ok) override {
        moving_ = false;
        move_ok_ = ok;
        notify_at(now_ps(), moved_);
    }
    bool read(std::uint64_t address, std::byte* to, std::uint32_t bytes) override {
        return move(tlm::TLM_READ_COMMAND, address, to, bytes);
    }
    bool write(std::uint64_t address, const std::byte* from, std::uint32_t bytes) override {
        CAVERN_CHECK(bytes <= nvme::kMostDelivered, "the controller writes structures");
        std::memcpy(written_, from, bytes); // a payload points to bytes that may be written
        return move(tlm::TLM_WRITE_COMMAND, address, written_, bytes);
    }

    void start(const nvme::Io& io) override {
        LiveRequest live;
        live.op = op_of(io.op);
        live.fua = io.fua;
        live.offset = io.offset;
        live.bytes = io.bytes;
        live.tag = io.slot;
        if (io.data.empty()) {
            drive.submit(live, nullptr);
        } else {
            drive.submit(live, io.data);
        }
    }
    static LiveOp op_of(nvme::IoOp op) {
        switch (op) {
        case nvme::IoOp::kRead:
            return LiveOp::kRead;
        case nvme::IoOp::kWrite:
            return LiveOp::kWrite;
        case nvme::IoOp::kDeallocate:
            return LiveOp::kTrim;
        case nvme::IoOp::kWriteZeroes:
            return LiveOp::kWriteZeroes;
        case nvme::IoOp::kFlush:
            break;
        }
        return LiveOp::kFlush;
    }
    void finished(std::uint64_t tag, PlatformStatus status) override {
        controller_.finished(static_cast<std::uint32_t>(tag),
                             status == PlatformStatus::kDone          ? nvme::kSuccess
                             : status == PlatformStatus::kLost        ? nvme::kUnrecoveredRead
                             : status == PlatformStatus::kMemoryError ? nvme::kDataTransferError
                                                                      : nvme::kInternalError);
        notify_at(now_ps(), wakes_);
    }

    void raise(std::uint16_t vector) override {
        if (interrupt_) {
            interrupt_(vector);
        }
    }

    Interrupt interrupt_;
    nvme::Controller controller_;
    sc_core::sc_event wakes_{"wakes"};
    sc_core::sc_event moved_{"moved"};
    std::vector<nvme::Segment> where_{1};
    bool moving_ = false;
    bool move_ok_ = false;
    std::byte written_[nvme::kMostDelivered];
};

NvmeSsd::NvmeSsd(const sc_core::sc_module_name& name, const std::string& config,
                 const std::vector<std::string>& overrides, Interrupt interrupt)
    : sc_module(name), impl_(std::make_unique<Impl>("nvme", open_nvme_config(config, overrides),
                                                    std::move(interrupt))) {
    registers.bind(impl_->target.socket);
    impl_->drive.dma.initiator.socket.bind(dma);
}

NvmeSsd::~NvmeSsd() = default;

std::uint64_t NvmeSsd::capacity() const {
    return impl_->drive.capacity();
}

std::uint64_t NvmeSsd::check() const {
    return impl_->drive.check();
}

} // namespace v1
} // namespace cavern
