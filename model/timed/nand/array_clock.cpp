#include "timed/nand/array_clock.h"

namespace cavern {

ArrayClock::ArrayClock(const NandTiming& timing, const Geometry& geometry)
    : timing_(timing), geometry_(geometry),
      word_line_(timing.one_shot.on ? timing.program_times() : std::vector<TimePs>{}),
      t_prog_(timing.one_shot.on ? word_line_ : timing.t_prog) {
    reset(0);
}

void ArrayClock::reset(TimePs goes_on) {
    const std::size_t slc = geometry_.slc_blocks == 0 ? 0 : 1;
    times_.read.assign(timing_.t_r.size() + slc, 0);
    times_.program.assign(t_prog_.size() + slc, 0);
    times_.erase = 0;
    busy_ = goes_on;
    if (counted_ != nullptr) {
        *counted_ = goes_on; // a suspension takes from it
    }
}

TimePs ArrayClock::begin(const NandExtension& command) {
    switch (command.kind) {
    case FlashOpKind::kRead:
        return begin_read(command.pages[0]);
    case FlashOpKind::kProgram:
        return begin(t_prog_, timing_.slc_t_prog, times_.program, command.pages[0]);
    case FlashOpKind::kErase:
        break;
    }
    counted_ = &times_.erase;
    return timing_.t_bers;
}

} // namespace cavern
