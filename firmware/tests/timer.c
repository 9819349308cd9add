/* The machine timer, its interrupt, and WFI. */
#include "check.h"
#include "csr.h"
#include "platform.h"
#include "trap.h"

static volatile unsigned taken;
static volatile uint32_t last_cause;
static volatile uint32_t last_mstatus;
static unsigned repeat;
static uint32_t period;

static void set_compare(uint64_t value) {
    write32(TIMER_BASE + TIMER_MTIMECMP + 4, 0xFFFFFFFFu); /* not in between */
    write32(TIMER_BASE + TIMER_MTIMECMP, (uint32_t)value);
    write32(TIMER_BASE + TIMER_MTIMECMP + 4, (uint32_t)(value >> 32));
}

static uint64_t now(void) {
    uint32_t high;
    uint32_t low;
    do {
        high = read32(TIMER_BASE + TIMER_MTIME + 4);
        low = read32(TIMER_BASE + TIMER_MTIME);
    } while (high != read32(TIMER_BASE + TIMER_MTIME + 4));
    return (uint64_t)high << 32 | low;
}

void handle_timer_interrupt(void) {
    ++taken;
    last_cause = CSR_READ(mcause);
    last_mstatus = CSR_READ(mstatus);
    if (taken < repeat) {
        set_compare(now() + period);
    } else {
        set_compare(~0ull);
    }
}

int main(void) {
    const uint64_t first = now();
    CHECK_EQUAL(now() > first, 1);
    CHECK_EQUAL(CSR_READ(mip) & MIE_TIMER, 0);
    /* A line that is high is pending, but not taken while it is disabled. */
    set_compare(0);
    CHECK_EQUAL(CSR_READ(mip) & MIE_TIMER, MIE_TIMER);
    enable_interrupts();
    CHECK_EQUAL(taken, 0);
    CSR_SET(mie, MIE_TIMER);
    CHECK_EQUAL(taken, 1);
    CHECK_EQUAL(last_cause, 0x80000007u);
    CHECK_EQUAL(last_mstatus & 0x1888, 0x1880); /* in the handler: MIE off, MPIE on, from M */
    CHECK_EQUAL(CSR_READ(mip) & MIE_TIMER, 0);

    /* WFI sleeps until the moment. */
    const uint64_t wake = now() + 1000;
    repeat = 0;
    set_compare(wake);
    wait_for_interrupt();
    CHECK_EQUAL(taken, 2);
    CHECK_EQUAL(now() >= wake && now() < wake + 500, 1);

    /* With interrupts off it wakes as well, and goes on. */
    disable_interrupts();
    set_compare(now() + 300);
    wait_for_interrupt();
    CHECK_EQUAL(taken, 2);
    CHECK_EQUAL(CSR_READ(mip) & MIE_TIMER, MIE_TIMER);
    enable_interrupts();
    CHECK_EQUAL(taken, 3);

    /* A loop that is interrupted again and again keeps its registers. */
    repeat = 53;
    period = 101;
    set_compare(now() + period);
    uint32_t sum = 0;
    uint32_t product = 1;
    for (uint32_t i = 0; taken < repeat; ++i) {
        sum += i;
        product = product * 3 + sum;
        if ((i & 15) == 15) { /* beginning again must give the same */
            uint32_t s = 0;
            uint32_t p = 1;
            for (uint32_t k = 0; k <= i % 64; ++k) {
                s += k;
                p = p * 3 + s;
            }
            if (i % 64 == i) {
                CHECK_EQUAL(p, product);
            }
        }
    }
    CHECK_EQUAL(taken, 53);
    CHECK_EQUAL(last_cause, 0x80000007u);
    return check_result("timer");
}
