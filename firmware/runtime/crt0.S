# Vector table, reset and trap entry for Ibex: exceptions go to the boot address, interrupt n to
# n words after it, and reset starts 0x80 bytes after it.

    .section .vectors, "ax", @progbits
    .option push
    .option norvc
    .globl vectors
vectors:
    .rept 32
    j trap_entry
    .endr
    .globl _start
_start:
    j start
    .option pop

    .section .text.start, "ax", @progbits
    .type start, @function
start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, vectors
    csrw mtvec, t0
    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call main
    call exit_run
    .size start, . - start

# Keeps what a C function may change, and calls dispatch_trap(struct trap_frame *).
    .section .text.trap_entry, "ax", @progbits
    .type trap_entry, @function
trap_entry:
    addi sp, sp, -80
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw a0, 16(sp)
    sw a1, 20(sp)
    sw a2, 24(sp)
    sw a3, 28(sp)
    sw a4, 32(sp)
    sw a5, 36(sp)
    sw a6, 40(sp)
    sw a7, 44(sp)
    sw t3, 48(sp)
    sw t4, 52(sp)
    sw t5, 56(sp)
    sw t6, 60(sp)
    csrr t0, mepc
    sw t0, 64(sp)
    csrr t0, mcause
    sw t0, 68(sp)
    csrr t0, mstatus
    sw t0, 72(sp)
    mv a0, sp
    call dispatch_trap
    lw t0, 64(sp)
    csrw mepc, t0
    # A trap inside the handler has changed MPP and MPIE.
    lw t0, 72(sp)
    csrw mstatus, t0
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw a0, 16(sp)
    lw a1, 20(sp)
    lw a2, 24(sp)
    lw a3, 28(sp)
    lw a4, 32(sp)
    lw a5, 36(sp)
    lw a6, 40(sp)
    lw a7, 44(sp)
    lw t3, 48(sp)
    lw t4, 52(sp)
    lw t5, 56(sp)
    lw t6, 60(sp)
    addi sp, sp, 80
    mret
    .size trap_entry, . - trap_entry
