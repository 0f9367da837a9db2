#pragma once
/// The numbers of an epoch that callbacks watch, and what they say of them.

#include <flowray/tf/keras/training.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf::keras::callbacks {

/// Null where there is none of this name.
const double* value_of(const Logs& logs, std::string_view name);
std::vector<std::string> names_of(const Logs& logs);

/// A line on standard output.
void say(const std::string& line);
/// A line on standard error, once in a while: several callbacks may have the same to say.
void warn(const std::string& line);

/// What a callback's `mode` means: "max", "min", or for "auto" what the caller says. Warns of any other text,
/// which is taken for "auto".
bool greater_is_better(std::string_view what, std::string_view mode, bool automatically);

/// A number as Python writes it: 1.0, 0.05.
std::string python_text(double number);

}  // namespace flowray::tf::keras::callbacks
