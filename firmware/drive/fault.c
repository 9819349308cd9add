#include "fault.h"

#ifdef DRIVE_FAULTS
enum drive_fault drive_mistake = kDriveSound;
#endif
