#include <flowray/glue.h>
#include <flowray/ray/containers.h>

namespace flowray::ray {
namespace {

using tf::examples::DataSet;
using tf::examples::DataSets;
using tf::examples::DataSetState;

/// A DataSetState as what has fields.
struct SentState {
  template <class State>
  static auto fields_of(State& s) noexcept {
    return std::tie(s.pixels, s.labels, s.dtype, s.reshape, s.order, s.next_in_order, s.epochs_completed,
                    s.seed, s.shuffles);
  }
  auto flowray_fields() noexcept { return fields_of(state); }
  auto flowray_fields() const noexcept { return fields_of(state); }

  DataSetState state;
};

}  // namespace

void Codec<DataSet>::encode(Encoder& out, const DataSet& set) {
  const SentState sent{set.state()};
  if (!sent.state.pixels.has_value()) return out.write_nil();
  ray::encode(out, sent);
}

DataSet Codec<DataSet>::decode(Decoder& in) {
  if (!in.next_is_nil()) return DataSet::from_state(ray::decode<SentState>(in).state);
  in.read_nil();
  return {};
}

void Codec<DataSets>::encode(Encoder& out, const DataSets& sets) {
  out.begin_list(3);
  for (const DataSet* set : {&sets.train, &sets.validation, &sets.test}) ray::encode(out, *set);
}

DataSets Codec<DataSets>::decode(Decoder& in) {
  in.read_list_of(3, "three data sets");
  DataSets sets;
  for (DataSet* set : {&sets.train, &sets.validation, &sets.test}) *set = ray::decode<DataSet>(in);
  return sets;
}

}  // namespace flowray::ray
