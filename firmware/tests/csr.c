/* Control and status registers: what Ibex has, which bits can be written, and the counters. */
#include "csr.h"
#include "check.h"

#define SWAP(name, value)                                                                          \
    __extension__({                                                                                \
        uint32_t old_;                                                                             \
        __asm__ volatile("csrrw %0, " #name ", %1" : "=r"(old_) : "r"((uint32_t)(value)));         \
        old_;                                                                                      \
    })

static void identity(void) {
    CHECK_EQUAL(CSR_READ(misa), 0x40101104u); /* RV32, C, I, M, U */
    CHECK_EQUAL(CSR_READ(marchid), 22);
    CHECK_EQUAL(CSR_READ(mvendorid), 0);
    CHECK_EQUAL(CSR_READ(mimpid), 0);
    CHECK_EQUAL(CSR_READ(mhartid), 0);
    CSR_WRITE(misa, 0);
    CHECK_EQUAL(CSR_READ(misa), 0x40101104u);
}

static void legal_bits(void) {
    const uint32_t mtvec = SWAP(mtvec, 0xFFFFFFFFu);
    CHECK_EQUAL(mtvec, 0x00100001u);
    CHECK_EQUAL(SWAP(mtvec, mtvec), 0xFFFFFF01u);
    (void)SWAP(mie, 0xFFFFFFFFu);
    CHECK_EQUAL(SWAP(mie, 0), 0x7FFF0888u);
    (void)SWAP(mepc, 0xFFFFFFFFu);
    CHECK_EQUAL(CSR_READ(mepc), 0xFFFFFFFEu);
    (void)SWAP(mcause, 0x8000002Bu);
    CHECK_EQUAL(CSR_READ(mcause), 0x8000000Bu);
    (void)SWAP(mcause, 0xFFFFFFFFu);
    CHECK_EQUAL(CSR_READ(mcause), 0xFFFFFFFFu);
    (void)SWAP(mtval, 0x55AA1234u);
    CHECK_EQUAL(CSR_READ(mtval), 0x55AA1234u);
    (void)SWAP(mscratch, 0xA5A5F00Fu);
    CHECK_EQUAL(CSR_READ(mscratch), 0xA5A5F00Fu);
    (void)SWAP(mcountinhibit, 0xFFFFFFFFu);
    CHECK_EQUAL(SWAP(mcountinhibit, 0), 5);
    (void)SWAP(mhpmevent3, 0xFFFFFFFFu); /* built without event counters */
    CHECK_EQUAL(CSR_READ(mhpmevent3), 0);
    CHECK_EQUAL(CSR_READ(mhpmcounter3), 0);
    /* An unsupported MPP becomes user mode; MIE stays off here. */
    const uint32_t mstatus = SWAP(mstatus, 0xFFFFFFF7u & ~(1u << 12));
    CHECK_EQUAL(SWAP(mstatus, mstatus), 0x00220080u);
    (void)SWAP(mstatus, 0x1880u);
    CHECK_EQUAL(SWAP(mstatus, mstatus), 0x00001880u);
}

static void operations(void) {
    uint32_t old;
    CSR_WRITE(mscratch, 0xF0);
    __asm__ volatile("csrrs %0, mscratch, %1" : "=r"(old) : "r"(0x0Fu));
    CHECK_EQUAL(old, 0xF0);
    CHECK_EQUAL(CSR_READ(mscratch), 0xFF);
    __asm__ volatile("csrrc %0, mscratch, %1" : "=r"(old) : "r"(0x81u));
    CHECK_EQUAL(old, 0xFF);
    CHECK_EQUAL(CSR_READ(mscratch), 0x7E);
    __asm__ volatile("csrrwi %0, mscratch, 31" : "=r"(old));
    CHECK_EQUAL(old, 0x7E);
    __asm__ volatile("csrrsi %0, mscratch, 0" : "=r"(old));
    CHECK_EQUAL(old, 31);
    __asm__ volatile("csrrci %0, mscratch, 1" : "=r"(old));
    CHECK_EQUAL(CSR_READ(mscratch), 30);
    __asm__ volatile("csrrsi %0, mscratch, 1" : "=r"(old));
    CHECK_EQUAL(CSR_READ(mscratch), 31);
    /* Register and destination the same one. */
    uint32_t both = 5;
    __asm__ volatile("csrrw %0, mscratch, %0" : "+r"(both));
    CHECK_EQUAL(both, 31);
    CHECK_EQUAL(CSR_READ(mscratch), 5);
}

static void counters(void) {
    const uint32_t instructions = CSR_READ(minstret);
    __asm__ volatile(".rept 10\nnop\n.endr");
    const uint32_t executed = CSR_READ(minstret) - instructions;
    CHECK_EQUAL(executed >= 11 && executed < 20, 1);
    const uint32_t before = CSR_READ(mcycle);
    __asm__ volatile(".rept 10\nnop\n.endr");
    const uint32_t took = CSR_READ(mcycle) - before;
    CHECK_EQUAL(took >= 11 && took < 30, 1);
    /* The high word counts the overflows of the low one. */
    CSR_WRITE(mcountinhibit, 1);
    CSR_WRITE(mcycleh, 6);
    CSR_WRITE(mcycle, 0xFFFFFFFFu);
    CHECK_EQUAL(CSR_READ(mcycle), 0xFFFFFFFFu);
    CSR_WRITE(mcountinhibit, 0);
    __asm__ volatile("nop\nnop");
    CHECK_EQUAL(CSR_READ(mcycleh), 7);
    CSR_WRITE(mcountinhibit, 4);
    CSR_WRITE(minstret, 100);
    __asm__ volatile("nop\nnop");
    CHECK_EQUAL(CSR_READ(minstret), 100);
    CSR_WRITE(mcountinhibit, 0);
}

int main(void) {
    identity();
    legal_bits();
    operations();
    counters();
    return check_result("csr");
}
