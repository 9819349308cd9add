// FST to VCD on standard output, for tests and for tools that read no FST: what GTKWave's fst2vcd
// does, with the library that wrote the file.
#include <cstdio>
#include <gtkwave/fstapi.h>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s FILE.fst\n", argv[0]);
        return 2;
    }
    void* file = fstReaderOpen(argv[1]);
    if (file == nullptr) {
        std::fprintf(stderr, "error: %s:1: is no FST file; one that was written to its end\n",
                     argv[1]);
        return 2;
    }
    fstReaderProcessHier(file, stdout);
    fstReaderSetFacProcessMaskAll(file);
    fstReaderIterBlocks(file, nullptr, nullptr, stdout);
    fstReaderClose(file);
    return 0;
}
