#include <systemc>

#include "cavern/export.h"

// SystemC's library has a main function that calls sc_main, and wants one wherever it is loaded. A
// program that brings no sc_main of its own has a main function of its own.
extern "C" CAVERN_API __attribute__((weak)) int sc_main(int, char**) {
    return 1;
}
