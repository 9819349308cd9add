#include "uart.h"

#include "platform.h"

void uart_send(char byte) {
    while ((read32(UART_BASE + UART_STATUS) & 1) == 0) {
    }
    write32(UART_BASE + UART_SEND, (unsigned char)byte);
}

void exit_run(int status) {
    for (;;) {
        write32(UART_BASE + UART_EXIT, (uint32_t)status);
    }
}
