#pragma once
/// By this name in Ray; here all of it stands in one header.

#include <ray/api.h>
