/// Graphs as the messages of flowray/tf/_messages.py: a graph may have many thousands of nodes, for which its
/// reader of bytes, in Python, is too slow.

#include "native/convert/convert.h"

#include <flowray/errors.h>

#include "wire/codec.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace flowray::python {
namespace {

using wire::codec::FieldTable;
using wire::codec::Form;
using wire::codec::Kind;

/// A class of messages of Python's, and where the fields that it has lie in the message of src/wire/.
struct MessageClass {
  struct Field {
    const FieldTable* table;
    nb::object described;  // the _Field
    nb::object name;
    bool is_text;
    std::unique_ptr<MessageClass> message;  // of messages, and of the values of a map
  };
  nb::object type;
  std::vector<Field> fields;
};

const FieldTable& table_of_field(const wire::codec::MessageTable& table, std::string_view name) {
  for (const FieldTable& field : table.fields) {
    if (field.name == name) return field;
  }
  throw errors::InternalError(fmt::format("src/wire/ has no field '{}' where _messages.py has one", name));
}

MessageClass message_class(nb::handle type, const wire::codec::MessageTable& table) {
  MessageClass made{nb::borrow(type), {}};
  for (nb::handle described : type.attr("_fields")) {
    const nb::object name = described.attr("name");
    const FieldTable& field = table_of_field(table, bytes_of(name));
    std::unique_ptr<MessageClass> message;
    if (nb::cast<bool>(described.attr("is_message"))) {
      const FieldTable& item = field.form == Form::kMap ? field.message->fields[1] : field;
      message = std::make_unique<MessageClass>(message_class(described.attr("kind"), *item.message));
    }
    const bool is_text = described.attr("kind").equal(nb::str("string"));
    made.fields.push_back({&field, nb::borrow(described), name, is_text, std::move(message)});
  }
  return made;
}

nb::object made_or_raised(PyObject* made) {
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

nb::object text_or_bytes(std::string_view view, bool is_text) {
  const auto size = static_cast<Py_ssize_t>(view.size());
  return made_or_raised(is_text ? PyUnicode_DecodeUTF8(view.data(), size, nullptr)
                                : PyBytes_FromStringAndSize(view.data(), size));
}

template <class T>
nb::object number_object(T number) {
  if constexpr (std::is_same_v<T, bool>)
    return nb::borrow(number ? Py_True : Py_False);
  else if constexpr (std::is_floating_point_v<T>)
    return made_or_raised(PyFloat_FromDouble(number));
  else if constexpr (std::is_same_v<T, wire::Fixed32> || std::is_same_v<T, wire::Fixed64>)
    return number_object(number.value);
  else  // numbers without a sign are int64 in _messages.py's tables
    return made_or_raised(PyLong_FromLongLong(static_cast<int64_t>(number)));
}

nb::object message_object(const MessageClass& type, const void* message);

nb::object item_object(const MessageClass::Field& field, Kind kind, const void* value) {
  if (kind == Kind::kMessage) return message_object(*field.message, value);
  if (!is_number(kind)) return text_or_bytes(*static_cast<const wire::Bytes*>(value), field.is_text);
  return wire::codec::visit_number(kind, [&]<class T>() {
    T number;
    std::memcpy(&number, value, sizeof(T));  // a member may be an enum of as many bytes
    return number_object(number);
  });
}

/// Calls visit(item) for each item of a list or map of anything but numbers.
template <class Visit>
void for_each_item(const FieldTable& table, const void* member, Visit&& visit) {
  const std::span<const std::byte> items = table.items(member);
  for (size_t at = 0; at < items.size(); at += table.item_size_bytes) visit(items.data() + at);
}

nb::object list_object(const MessageClass::Field& field, const void* member) {
  // A _Values that nothing is checked for: the message has only what its types may hold.
  const nb::object type = python_object("flowray.tf._messages", "_Values");
  nb::object list = made_or_raised(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 0));
  list.attr("_field") = field.described;
  const auto add = [&](const nb::object& item) {
    if (PyList_Append(list.ptr(), item.ptr()) != 0) nb::raise_python_error();
  };
  if (is_number(field.table->kind)) {
    wire::codec::visit_number(field.table->kind, [&]<class T>() {
      for (const T number : *static_cast<const std::vector<T>*>(member)) add(number_object(number));
    });
  } else {
    for_each_item(*field.table, member,
                  [&](const void* item) { add(item_object(field, field.table->kind, item)); });
  }
  return list;
}

nb::object map_object(const MessageClass::Field& field, const void* member) {
  nb::object map = python_object("flowray.tf._messages", "_Map")(field.described.attr("kind"));
  const FieldTable& key = field.table->message->fields[0];
  const FieldTable& value = field.table->message->fields[1];
  for_each_item(*field.table, member, [&](const void* entry) {
    const nb::object name = text_or_bytes(*static_cast<const wire::Text*>(member_of(entry, key)), true);
    const nb::object held = item_object(field, value.kind, member_of(entry, value));
    if (PyDict_SetItem(map.ptr(), name.ptr(), held.ptr()) != 0) nb::raise_python_error();
  });
  return map;
}

nb::object field_object(const MessageClass::Field& field, const void* member) {
  switch (field.table->form) {
    case Form::kList:
      return list_object(field, member);
    case Form::kMap:
      return map_object(field, member);
    case Form::kHeld:
    case Form::kChoice:
      return item_object(field, field.table->kind, field.table->find(member));
    case Form::kPlain:
      break;
  }
  return item_object(field, field.table->kind, member);
}

nb::object message_object(const MessageClass& type, const void* message) {
  nb::object made = made_or_raised(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.type.ptr()), 0));
  for (const MessageClass::Field& field : type.fields) {
    const void* const member = wire::codec::member_of(message, *field.table);
    if (wire::codec::is_absent(*field.table, member)) continue;
    // Message.__setattr__ is for programs: it checks, and looks for what the field stands in place of.
    const nb::object value = field_object(field, member);
    if (PyObject_GenericSetAttr(made.ptr(), field.name.ptr(), value.ptr()) != 0) nb::raise_python_error();
  }
  return made;
}

}  // namespace

void bind_messages(nb::module_& m) {
  m.def("_read_graph_def", [](const nb::bytes& bytes, nb::handle type) {
    const auto graph = wire::decode<wire::GraphDef>({bytes.c_str(), bytes.size()});
    return message_object(message_class(type, wire::codec::table_of<wire::GraphDef>()), &graph);
  });
}

}  // namespace flowray::python
