#pragma once

namespace cavern {

/// The program cavern-sim: `run`, `config {show,list,explain}`, `trace
/// {info,convert,generate}`, `results` and `firmware`. Returns the exit status: 0 done; 2 the
/// input is wrong (one line on stderr); 1 the model found itself inconsistent; 130 interrupted.
int command_line(int argc, char** argv);

} // namespace cavern
