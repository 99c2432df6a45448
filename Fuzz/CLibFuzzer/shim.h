// What libFuzzer lends to those who change inputs in a way of their own; compiler-rt has it, but no header for it.

#ifndef GATTSCOPE_CLIBFUZZER_SHIM_H
#define GATTSCOPE_CLIBFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

/// Changes `size` bytes in place, to `most` bytes at most: how many there are then.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
