/* Exceptions: cause, value, and place; user mode. Runs where the processor takes traps. */
#include "check.h"
#include "csr.h"
#include "trap.h"

static volatile unsigned taken;
static volatile uint32_t cause, value, place, status;
static volatile uint32_t resume; /* 0: after the instruction */

void handle_exception(struct trap_frame* frame) {
    ++taken;
    cause = frame->mcause;
    value = CSR_READ(mtval);
    place = frame->mepc;
    status = frame->mstatus;
    if (resume != 0) {
        frame->mepc = resume;
        resume = 0;
    } else {
        const uint16_t low = *(const volatile uint16_t*)(uintptr_t)frame->mepc;
        frame->mepc += (low & 3) == 3 ? 4 : 2;
    }
    frame->mstatus |= 0x1800; /* back into machine mode, wherever it came from */
}

/* Executes `text` at label 1; the trap must be at `offset` from it. */
#define EXPECT(text, offset, cause_, value_)                                                       \
    do {                                                                                           \
        uint32_t label;                                                                            \
        const unsigned before = taken;                                                             \
        __asm__ volatile("la %0, 1f\n1: " text : "=&r"(label) : : "memory", "t0", "t1");           \
        CHECK_EQUAL(taken, before + 1);                                                            \
        CHECK_EQUAL(cause, cause_);                                                                \
        CHECK_EQUAL(value, value_);                                                                \
        CHECK_EQUAL(place - label, offset);                                                        \
    } while (0)

static void illegal(void) {
    EXPECT(".word 0xffffffff", 0, 2, 0xFFFFFFFFu);
    EXPECT(".word 0x0000707f", 0, 2, 0x0000707Fu);
    EXPECT(".half 0x0000", 0, 2, 0);
    EXPECT(".half 0x9c41", 0, 2, 0x9C41);          /* C.ADDW of RV64 */
    EXPECT(".half 0x4002", 0, 2, 0x4002);          /* C.LWSP to x0 */
    EXPECT(".word 0x02051513", 0, 2, 0x02051513u); /* SLLI by 32 */
    EXPECT(".word 0x00002067", 0, 2, 0x00002067u); /* JALR with another funct3 */
    EXPECT("csrr t0, 0x7a0", 0, 2, 0x7A0022F3u);   /* built without debug triggers */
    EXPECT("csrr t0, 0x3a0", 0, 2, 0x3A0022F3u);   /* without memory protection */
    EXPECT("csrr t0, 0xc00", 0, 2, 0xC00022F3u);   /* without the user's counters */
    EXPECT("csrw 0xf14, zero", 0, 2, 0xF1401073u); /* read-only */
    EXPECT("csrr t0, 0x7b0", 0, 2, 0x7B0022F3u);   /* of debug mode */
    const unsigned before = taken;
    __asm__ volatile("csrrs t0, 0xf14, zero" : : : "t0"); /* no write, no trap */
    CHECK_EQUAL(taken, before);
}

static void calls(void) {
    EXPECT("ecall", 0, 11, 0);
    EXPECT(".option push\n.option norvc\nebreak\n.option pop", 0, 3, 0);
    EXPECT("c.ebreak", 0, 3, 0);
    CHECK_EQUAL(status & 0x1888, 0x1800); /* interrupts were off */
    enable_interrupts();
    EXPECT("ecall", 0, 11, 0);
    CHECK_EQUAL(status & 0x1888, 0x1880);
    CHECK_EQUAL(CSR_READ(mstatus) & 8, 8); /* and on again */
    disable_interrupts();
}

static void memory_faults(void) {
    EXPECT("li t0, 0x10000004\n2: lw t1, 0(t0)", place - label, 5, 0x10000004u);
    EXPECT("li t0, 0x10000008\n2: sw t1, 0(t0)", place - label, 7, 0x10000008u);
    EXPECT("li t0, 0x10000003\n2: lb t1, 0(t0)", place - label, 5, 0x10000003u);
    /* A load that fails leaves its register alone. */
    uint32_t kept;
    __asm__ volatile("li t0, 0x10000000\nli %0, 77\nlw %0, 0(t0)" : "=&r"(kept) : : "t0");
    CHECK_EQUAL(kept, 77);
    /* The second half of a load across the end of the data memory: its own address. */
    __asm__ volatile("li t0, 0x0023fffe\nlw t1, 0(t0)" : : : "t0", "t1", "memory");
    CHECK_EQUAL(cause, 5);
    CHECK_EQUAL(value, 0x00240000u);
}

static void fetch_fault(void) {
    uint32_t back;
    __asm__ volatile("la %0, 1f" : "=r"(back));
    const unsigned before = taken;
    __asm__ volatile("la t0, 1f\nsw t0, 0(%0)\nli t0, 0x00200000\njr t0\n1:"
                     :
                     : "r"(&resume)
                     : "t0", "memory");
    CHECK_EQUAL(taken, before + 1);
    CHECK_EQUAL(cause, 1);
    CHECK_EQUAL(value, 0x00200000u);
    CHECK_EQUAL(place, 0x00200000u);
    (void)back;
}

/* Into user mode at a label, which makes one exception. */
#define IN_USER_MODE(text)                                                                         \
    __asm__ volatile("csrc mstatus, %0\n"                                                          \
                     "la t0, 1f\ncsrw mepc, t0\nmret\n"                                            \
                     "1: " text                                                                    \
                     :                                                                             \
                     : "r"(0x1800)                                                                 \
                     : "t0", "t1", "memory")

static void user_mode(void) {
    IN_USER_MODE("ecall");
    CHECK_EQUAL(cause, 8);
    CHECK_EQUAL(status & 0x1800, 0); /* it came from user mode */
    IN_USER_MODE("csrr t1, mscratch");
    CHECK_EQUAL(cause, 2);
    CHECK_EQUAL(value, 0x34002373u);
    IN_USER_MODE("mret");
    CHECK_EQUAL(cause, 2);
    CSR_SET(mstatus, 1u << 21); /* TW */
    IN_USER_MODE("wfi");
    CHECK_EQUAL(cause, 2);
    CSR_CLEAR(mstatus, 1u << 21);
}

int main(void) {
    illegal();
    calls();
    memory_faults();
    fetch_fault();
    user_mode();
    return check_result("traps");
}
