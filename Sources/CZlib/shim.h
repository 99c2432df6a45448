// zlib (Debian: zlib1g-dev), which inflates Android's btsnooz summaries. It is linked as an archive where the distribution has
// one: inflate alone has 30 KB, and a start does not look for it.

#ifndef GATTSCOPE_CZLIB_SHIM_H
#define GATTSCOPE_CZLIB_SHIM_H

#include <zlib.h>

#endif
