// The model of a training job.
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/scenario/job_reader.h"
#include "sim/workload/model_catalogue.h"

namespace brigade {
namespace {

constexpr int64_t kElementsMax = int64_t{1} << 50;
constexpr int kRepeatMax = 1'000'000;
constexpr size_t kTensorsMax = 1'000'000;
constexpr int kPixelsMax = 1 << 16;

void read_tensor(Fields& in, TensorSpec& out) {
  in.required("name", text(), out.name, "of the tensor");
  in.required("elements", whole<int64_t>(1, kElementsMax), out.elements, "how many numbers it holds");
}

void read_layer(Fields& in, LayerSpec& out) {
  in.required("name", text(), out.name, "of the layer");
  in.maps("parameters", Need::kOptional, "tensors with gradients, in registration order",
          [&](Fields& tensor) { read_tensor(tensor, out.parameters.emplace_back()); });
  in.defaulted("repeat", whole<int>(1, kRepeatMax), out.repeat, "this layer, so often in a row");
  in.optional("forward", duration(), out.forward, "time of a micro-batch, instead of FLOPs and bytes");
  in.optional("backward", duration(), out.backward, "time of a micro-batch, instead of FLOPs and bytes");
  in.defaulted("forward_flops", flop(), out.forward_flops, "of a sample");
  in.defaulted("backward_flops", flop(), out.backward_flops, "of a sample");
  in.defaulted("forward_bytes", amount_of_bytes(), out.forward_bytes, "moved through memory, of a sample");
  in.defaulted("backward_bytes", amount_of_bytes(), out.backward_bytes, "moved through memory, of a sample");
  in.defaulted("activations", amount_of_bytes(), out.activation_bytes,
               "kept in memory from forward to backward, of a sample; counted by zero and fsdp");
}

void read_written_tensors(Fields& in, ModelSpec& out) {
  in.maps("tensors", Need::kOptional, "instead of a name: gradients, in registration order",
          [&](Fields& tensor) {
            TensorSpec spec;
            read_tensor(tensor, spec);
            tensor.optional("ready", duration(), spec.ready,
                            "since backward began; without it by elements, the last one first");
            int repeat = 1;
            tensor.defaulted("repeat", whole<int>(1, kRepeatMax), repeat,
                             "so many alike, NAME[0] and on, ready at once");
            if (out.tensors.size() + static_cast<size_t>(repeat) > kTensorsMax) {
              return tensor.error(tensor.place(), absl::StrCat("more than ", kTensorsMax, " tensors"));
            }
            const bool alone = !tensor.has("repeat");
            const std::string name = spec.name;
            for (int i = 0; i < repeat; ++i) {
              if (!alone) spec.name = absl::StrCat(name, "[", i, "]");
              out.tensors.push_back(spec);
            }
          });
}

}  // namespace

void read_model(Fields& in, ModelSpec& out) {
  out.at = in.place();
  std::optional<std::string> name;
  if (in.optional("name", name_among(model_names(), "model"), name, "of a known model")) out.name = *name;
  in.optional("sequence", count("tokens"), out.sequence_tokens, "length of a sample of a language model");
  in.optional("image", whole<int64_t>(1, kPixelsMax), out.image_pixels,
              "side of a sample of an image model, in pixels");
  in.maps("layers", Need::kOptional, "instead of a name: layers, in forward order",
          [&](Fields& layer) { read_layer(layer, out.layers.emplace_back()); });
  read_written_tensors(in, out);
  in.optional("forward", duration(), out.forward, "with tensors: of a micro-batch");
  in.optional("backward", duration(), out.backward, "with tensors: of a micro-batch");
  if (in.describing()) return;
  const int ways = in.has("name") + in.has("layers") + in.has("tensors");
  if (ways != 1) {
    in.error(in.place(), absl::StrCat(ways == 0 ? "the model is missing" : "the model is given several times",
                                      "; allowed: one of name, layers, tensors"));
  }
  for (const char* time : {"forward", "backward"}) {
    if (!in.has(time) || in.has("tensors")) continue;
    in.error(in.place_of(time),
             absl::StrCat("the model's ", time, " time needs tensors; layers have their own"));
  }
}

}  // namespace brigade
