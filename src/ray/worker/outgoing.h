#pragma once
/// What a worker sends: values, and all that a call returns.

#include <cstddef>
#include <vector>

#include "ray/store/reading.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// A value of a worker's on its way: in `bytes`, or in the store.
struct Outgoing {
  std::vector<std::byte> bytes;
  Extent extent;
  bool is_error = false;
  ObjectId lender;  // of a value that this process reads there, and sends on as it is
  Loan loan;        // until the owner has been told

  /// The value as a part of a message; the message refers to the bytes here and must be gone first.
  ValuePart part(ObjectId object) const { return {object, is_error, bytes, extent, lender}; }
  /// As new, but for its memory.
  void reset() {
    bytes.clear();
    extent = {};
    is_error = false;
    lender = {};
    loan = {};
  }
};
/// What a call returns, on its way. Its memory is kept from one call to the next.
struct Answer {
  std::vector<Outgoing> values;
  std::vector<ValuePart> parts;  ///< refer to the values

  /// While it lives, the values are those of a call.
  class Use {
   public:
    explicit Use(Answer& answer) : answer_(answer) {}
    ~Use() {
      for (Outgoing& value : answer_.values) value.reset();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Answer& answer_;
  };
};

}  // namespace flowray::ray
