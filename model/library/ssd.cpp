#include "cavern/ssd.h"

#include "core/base/check.h"
#include "core/base/sectors.h"
#include "library/open_config.h"
#include "library/platform_drive.h"
#include "timed/tlm/at_target.h"

namespace cavern {
inline namespace v1 {

class Ssd::Impl final : private AtRequestIf, private PlatformClientIf {
  public:
    explicit Impl(const DrivePlan& config) : drive("drive", config, *this) {}

    AtTarget target{"command_target", *this};
    PlatformDrive drive;

    tlm::tlm_target_socket<64>& no_memory() {
        no_memory_ = std::make_unique<NoMemory>();
        return no_memory_->target.socket;
    }

  private:
    using Payload = tlm::tlm_generic_payload;
    using Op = CommandExtension::Op;

    /// Host memory of a platform that binds none.
    class NoMemory final : private AtRequestIf {
      public:
        AtTarget target{"no_memory", *this};

      private:
        void request(Payload& payload) override {
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            target.respond(payload);
        }
    };

    void request(Payload& payload) override {
        const auto* extension = payload.get_extension<CommandExtension>();
        const Op op = extension != nullptr ? extension->op : Op::kAsPayload;
        if (op == Op::kAsPayload && payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
            respond(payload, tlm::TLM_OK_RESPONSE);
            return;
        }
        LiveRequest live;
        live.op = op == Op::kFlush         ? LiveOp::kFlush
                  : op == Op::kTrim        ? LiveOp::kTrim
                  : op == Op::kWriteZeroes ? LiveOp::kWriteZeroes
                  : payload.is_write()     ? LiveOp::kWrite
                                           : LiveOp::kRead;
        live.fua = extension != nullptr && extension->fua && live.op != LiveOp::kRead;
        live.offset = op == Op::kFlush ? 0 : payload.get_address();
        live.bytes = op == Op::kFlush       ? 0
                     : op == Op::kAsPayload ? payload.get_data_length()
                                            : extension->bytes;
        live.tag = reinterpret_cast<std::uintptr_t>(&payload);
        const bool moves = op == Op::kAsPayload;
        const tlm::tlm_response_status status = check(payload, live, moves);
        if (status != tlm::TLM_OK_RESPONSE) {
            respond(payload, status);
        } else if (moves && extension != nullptr && extension->dma) {
            where_[0] = {extension->host_address, static_cast<std::uint32_t>(live.bytes)};
            drive.submit(live, where_);
        } else {
            drive.submit(live, reinterpret_cast<std::byte*>(payload.get_data_ptr()));
        }
    }

    [[nodiscard]] tlm::tlm_response_status check(const Payload& payload, const LiveRequest& live,
                                                 bool moves) const {
        if (live.op == LiveOp::kFlush) {
            return tlm::TLM_OK_RESPONSE;
        }
        if (payload.get_byte_enable_ptr() != nullptr) {
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        }
        if (live.offset % kSectorBytes != 0 || live.offset > drive.capacity() ||
            live.bytes > drive.capacity() - live.offset) {
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        }
        if (live.bytes == 0 || live.bytes % kSectorBytes != 0 ||
            (moves && payload.get_streaming_width() < live.bytes)) {
            return tlm::TLM_BURST_ERROR_RESPONSE;
        }
        return tlm::TLM_OK_RESPONSE;
    }

    void respond(Payload& payload, tlm::tlm_response_status status) {
        payload.set_response_status(status);
        target.respond(payload);
    }

    void finished(std::uint64_t tag, PlatformStatus status) override {
        auto& payload = *reinterpret_cast<Payload*>(static_cast<std::uintptr_t>(tag));
        respond(payload, status == PlatformStatus::kDone ? tlm::TLM_OK_RESPONSE
                                                         : tlm::TLM_GENERIC_ERROR_RESPONSE);
    }

    std::vector<nvme::Segment> where_{1};
    std::unique_ptr<NoMemory> no_memory_; ///< null: `dma` is bound
};

Ssd::Ssd(const sc_core::sc_module_name& name, const std::string& config,
         const std::vector<std::string>& overrides)
    : sc_module(name), impl_(std::make_unique<Impl>(take_config(config, overrides))) {
    commands.bind(impl_->target.socket);
    impl_->drive.dma.initiator.socket.bind(dma);
}

Ssd::~Ssd() = default;

void Ssd::before_end_of_elaboration() {
    if (dma.bind_count() == 0) {
        dma.bind(impl_->no_memory());
    }
}

std::uint64_t Ssd::capacity() const {
    return impl_->drive.capacity();
}

std::uint32_t Ssd::outstanding() const {
    return impl_->drive.outstanding();
}

std::uint64_t Ssd::check() const {
    return impl_->drive.check();
}

tlm::tlm_extension_base* CommandExtension::clone() const {
    auto* copy = new CommandExtension;
    copy->copy_from(*this);
    return copy;
}

void CommandExtension::copy_from(const tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const CommandExtension&>(other);
    op = from.op;
    fua = from.fua;
    dma = from.dma;
    host_address = from.host_address;
    bytes = from.bytes;
}

} // namespace v1
} // namespace cavern
