/* The log, and the end of a run. */
#ifndef CAVERN_UART_H
#define CAVERN_UART_H

void uart_send(char byte);
/* Ends the run with this status; does not return. */
__attribute__((noreturn)) void exit_run(int status);

#endif
