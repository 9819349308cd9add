/* Mistakes put in on purpose, for the tests that see whether the comparison with the C++ core
 * notices. Only sources compiled with DRIVE_FAULTS have them. */
#ifndef CAVERN_FIRMWARE_DRIVE_FAULT_H
#define CAVERN_FIRMWARE_DRIVE_FAULT_H

#ifdef __cplusplus
extern "C" {
#endif

enum drive_fault {
    kDriveSound,
    kDriveLruPointerNotMoved, /* a write hit leaves the page where it was in the order */
    kDriveWatermarkOffByOne,  /* collection is content with one free block less */
    kDriveWrongDie            /* the round robin gives out the die after the one whose turn it is */
};

#ifdef DRIVE_FAULTS
extern enum drive_fault drive_mistake;
#define DRIVE_FAULT(which) (drive_mistake == (which))
#else
#define DRIVE_FAULT(which) 0
#endif

#ifdef __cplusplus
}
#endif

#endif
