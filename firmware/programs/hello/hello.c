#include "csr.h"
#include "stdio.h"

int main(void) {
    printf("Hello from RISC-V, hart %u, misa 0x%08x.\n", (unsigned)CSR_READ(mhartid),
           (unsigned)CSR_READ(misa));
    const uint64_t before = cycles();
    unsigned sum = 0;
    for (volatile unsigned i = 0; i < 100; ++i) {
        sum += i;
    }
    printf("The sum of 0 to 99 is %u; it took %u cycles.\n", sum, (unsigned)(cycles() - before));
    return 0;
}
