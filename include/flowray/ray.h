#pragma once
/// The language of tasks and actors, flowray::ray: docs/tasks-and-actors.md.

#if __cplusplus < 202002L
#error "Flowray needs C++20: compile with -std=c++20"
#else

#include <flowray/ray/actor.h>
#include <flowray/ray/array_part.h>
#include <flowray/ray/async.h>
#include <flowray/ray/codec.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/errors.h>
#include <flowray/ray/function.h>
#include <flowray/ray/generator.h>
#include <flowray/ray/ids.h>
#include <flowray/ray/object_ref.h>
#include <flowray/ray/placement_group.h>
#include <flowray/ray/python.h>
#include <flowray/ray/runtime.h>
#include <flowray/ray/runtime_env.h>
#include <flowray/ray/task.h>

#endif
