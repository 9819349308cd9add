#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/debug_if.h"
#include "cpu/gdb_packet.h"
#include "cpu/hart_debug_target.h"

namespace cavern::cpu {

/// The stub's side of GDB's remote serial protocol (GDB manual, appendix E) for one processor, all
/// of it but the connection: bytes in, bytes out. Registers are x0 to x31, pc and the control and
/// status registers, described to the debugger as target.xml. A packet that it does not know gets
/// the empty reply; a known one that makes no sense, an error.
///
///     session.receive(bytes_from_gdb);
///     send(session.take_output());
///     if (auto resume = session.take_resume()) { run; session.stopped(why); }
class GdbSession {
  public:
    /// The target must outlive the session.
    explicit GdbSession(HartDebugTarget& target) : target_(target) {}

    void receive(std::string_view bytes);
    /// Bytes to send since the last call.
    [[nodiscard]] std::string take_output();
    /// The order of the debugger. After kContinue and kStep it waits for stopped().
    [[nodiscard]] std::optional<Resume> take_resume();
    /// The processor stands: answers a debugger that waits, and keeps the answer for those who ask.
    void stopped(const DebugStop& stop);
    /// True once for each time that the debugger has asked a running processor to stand.
    [[nodiscard]] bool take_interrupt();
    /// Bytes received that are not looked at yet.
    [[nodiscard]] std::size_t waiting() const { return reader_.waiting(); }
    /// The debugger is gone: no breakpoint of it remains.
    void forget_breakpoints();
    /// The debugger has written to registers or memory, or has reset the processor.
    [[nodiscard]] bool has_changed() const { return has_changed_; }

  private:
    /// Both kinds of breakpoint are one to the processor: bits by kind.
    using Breakpoints = std::map<std::uint32_t, unsigned>;

    void process();
    void send(std::string_view data);
    /// Nothing when there is to be no answer, or not yet.
    [[nodiscard]] std::optional<std::string> reply_to(std::string_view packet);
    [[nodiscard]] std::optional<std::string> leave_with(std::string_view packet);
    [[nodiscard]] std::string query(std::string_view packet);
    [[nodiscard]] std::string registers() const;
    bool set_registers(std::string_view values);
    [[nodiscard]] std::optional<std::uint32_t> reg(std::uint32_t number) const;
    bool set_reg(std::uint32_t number, std::uint32_t value);
    [[nodiscard]] std::string read_register(std::string_view packet) const;
    [[nodiscard]] std::string write_register(std::string_view packet);
    [[nodiscard]] std::string read_memory(std::string_view packet);
    [[nodiscard]] std::string write_memory(std::string_view packet, bool binary);
    [[nodiscard]] std::string change_point(std::string_view packet, bool insert);
    [[nodiscard]] std::string change_breakpoint(std::uint32_t pc, unsigned kind, bool insert);
    [[nodiscard]] std::string change_watchpoint(const Watchpoint& watchpoint, bool insert);
    [[nodiscard]] std::optional<std::string> resume_by_actions(std::string_view actions);
    [[nodiscard]] std::optional<std::string> resume_at(char action, std::string_view rest);
    void run(Resume resume);
    [[nodiscard]] std::string command(std::string_view hex);

    HartDebugTarget& target_;
    GdbPacketReader reader_;
    std::string output_;
    std::string last_sent_;
    std::string stop_reply_ = "S05";
    Breakpoints breakpoints_;
    std::vector<Watchpoint> watchpoints_;
    std::optional<Resume> resume_;
    bool running_ = false;
    bool interrupt_ = false;
    bool acknowledges_ = true;
    bool has_changed_ = false;
};

} // namespace cavern::cpu
