// The level of a *_code.h file that is read alone, not by each_level.h, which defines these anew: hence no
// #pragma once.

#ifndef FLOWRAY_LEVEL
#define FLOWRAY_LEVEL portable
#define FLOWRAY_VECTOR_BYTES 16
#endif
