#include <systemc>

#include "app/command_line.h"

// SystemC's library has main(); it calls this.
int sc_main(int argc, char** argv) {
    return cavern::command_line(argc, argv);
}
