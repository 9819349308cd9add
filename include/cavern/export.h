/* Marks what the shared library shows. */
#ifndef CAVERN_EXPORT_H
#define CAVERN_EXPORT_H

#define CAVERN_API __attribute__((visibility("default")))

#endif
