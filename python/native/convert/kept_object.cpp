#include "native/convert/kept_object.h"

#include "native/convert/released_lock.h"

namespace flowray::python {

KeptObject::KeptObject(nb::handle object)
    : object_(new nb::object(nb::borrow(object)), [](nb::object* last) {
        if (Py_IsInitialized() == 0 || interpreter_ends_without_us())
          return;  // the object is gone, or will be
        const RetakenLock lock;
        delete last;
      }) {}

}  // namespace flowray::python
