#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes of lookup.elf, so that a run depends on this program and its settings alone.
extern const unsigned char kBuiltInImage[];
extern const unsigned char kBuiltInImageEnd[];

#ifdef __cplusplus
}
#endif
