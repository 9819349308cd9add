#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes of drive.elf, so that a run depends on its program and its settings alone.
extern const unsigned char kDriveImage[];
extern const unsigned char kDriveImageEnd[];

#ifdef __cplusplus
}
#endif
