/* Clusters: the pages of one logical block that are in the buffer, in the order of addresses. */
#ifndef CAVERN_FIRMWARE_DRIVE_CLUSTERS_H
#define CAVERN_FIRMWARE_DRIVE_CLUSTERS_H

#include "index_map.h"

struct cluster_page {
    uint32_t lpn, cluster, previous, next; /* frames */
};

struct cluster {
    uint32_t block; /* logical */
    uint32_t first, last, size;
};

struct clusters {
    uint32_t pages_per_block;
    struct cluster_page* pages; /* by frame */
    struct cluster* clusters;
    uint32_t* unused; /* stack of clusters */
    uint32_t unused_count;
    struct index_map of_block;
};

bool clusters_start(struct clusters* clusters, struct memory* memory, uint32_t frames,
                    uint32_t pages_per_block);

/* The page joins the cluster of its block, which is returned; a cluster of size 1 is new. */
uint32_t clusters_add(struct clusters* clusters, uint32_t frame, uint32_t lpn);

/* The page leaves. Returns its former cluster; one of size 0 is gone. */
uint32_t clusters_remove(struct clusters* clusters, uint32_t frame);

/* All pages of the cluster leave, ascending, into `frames`; returns how many. */
uint32_t clusters_take(struct clusters* clusters, uint32_t cluster, uint32_t* frames);

#endif
