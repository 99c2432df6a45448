// What gattscope uses of the C library's allocator, whose header Swift's module of the C library lacks.

#ifndef GATTSCOPE_CMALLOC_SHIM_H
#define GATTSCOPE_CMALLOC_SHIM_H

#include <malloc.h>

/// Keeps large blocks outside of the heap, so that each is returned when it is freed. Otherwise glibc raises the size of such
/// blocks with the first one that is freed, and from then on lists that grow leave holes: a tenth of the memory.
static inline void cmalloc_keep_large_blocks_apart(void) {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

#endif
