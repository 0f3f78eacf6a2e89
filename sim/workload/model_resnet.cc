// ResNet as in torchvision (v1.5): a block is conv-bn-relu pairs, its shortcut is computed after them.
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/workload/layer_cost.h"
#include "sim/workload/model_families.h"

namespace brigade {
namespace {

constexpr int64_t kClasses = 1000;

struct Image {
  int64_t channels;
  int64_t pixels;  // side
  int64_t elements() const { return channels * pixels * pixels; }
};

struct ConvolutionShape {
  int64_t channels, kernel, stride = 1;
};

// Padding kernel / 2, as everywhere in ResNet.
int64_t strided(int64_t pixels, int64_t stride) { return (pixels - 1) / stride + 1; }

class ResNetBuilder {
 public:
  explicit ResNetBuilder(Image image) : image_(image) {}

  Model build(const ResNetShape& shape) && {
    image_ = convolve(image_, "", "conv1", "bn1", {.channels = 64, .kernel = 7, .stride = 2}, /*first=*/true);
    relu("relu");
    const Image before = image_;
    image_.pixels = strided(image_.pixels, 2);
    model_.layer("maxpool", pool_cost(before.elements(), image_.elements(), /*max=*/true));
    for (int stage = 0; stage < 4; ++stage) {
      for (int block = 0; block < shape.blocks[static_cast<size_t>(stage)]; ++block) {
        const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
        residual(absl::StrCat("layer", stage + 1, ".", block, "."), int64_t{64} << stage, stride,
                 shape.bottleneck);
      }
    }
    model_.layer("avgpool", pool_cost(image_.elements(), image_.channels, /*max=*/false));
    const TensorIndex weight = model_.parameter("fc.weight", {kClasses, image_.channels});
    const TensorIndex bias = model_.parameter("fc.bias", {kClasses});
    model_.layer("fc", linear_cost({.rows = 1, .in = image_.channels, .out = kClasses}), {weight, bias});
    model_.layer("loss", cross_entropy_cost(kClasses));
    return std::move(model_).take(0);
  }

 private:
  void residual(const std::string& name, int64_t width, int64_t stride, bool bottleneck) {
    const Image in = image_;
    const int64_t channels = bottleneck ? 4 * width : width;
    model_.layer(name + "fork", fork_cost(in.elements()));
    if (bottleneck) {
      image_ = convolve(image_, name, "conv1", "bn1", {.channels = width, .kernel = 1});
      relu(name + "relu1");
      image_ = convolve(image_, name, "conv2", "bn2", {.channels = width, .kernel = 3, .stride = stride});
      relu(name + "relu2");
      image_ = convolve(image_, name, "conv3", "bn3", {.channels = channels, .kernel = 1});
    } else {
      image_ = convolve(image_, name, "conv1", "bn1", {.channels = width, .kernel = 3, .stride = stride});
      relu(name + "relu1");
      image_ = convolve(image_, name, "conv2", "bn2", {.channels = channels, .kernel = 3});
    }
    if (stride != 1 || in.channels != channels) {
      convolve(in, name, "downsample.0", "downsample.1",
               {.channels = channels, .kernel = 1, .stride = stride});
    }
    model_.layer(name + "add", addition_cost(image_.elements()));
    relu(name + "relu");
  }

  Image convolve(Image in, const std::string& prefix, const std::string& convolution, const std::string& norm,
                 const ConvolutionShape& shape, bool first = false) {
    const Image out = {shape.channels, strided(in.pixels, shape.stride)};
    const TensorIndex filter = model_.parameter(prefix + convolution + ".weight",
                                                {out.channels, in.channels, shape.kernel, shape.kernel});
    model_.layer(prefix + convolution,
                 convolution_cost({.channels_in = in.channels,
                                   .channels_out = out.channels,
                                   .kernel = shape.kernel,
                                   .pixels_in = in.pixels,
                                   .pixels_out = out.pixels,
                                   .input_has_gradient = !first}),
                 {filter});
    const TensorIndex weight = model_.parameter(prefix + norm + ".weight", {out.channels});
    const TensorIndex bias = model_.parameter(prefix + norm + ".bias", {out.channels});
    model_.layer(prefix + norm, batch_norm_cost(out.elements(), out.channels), {weight, bias});
    model_.buffer(DType::kFp32, 2 * out.channels);  // running mean and variance
    model_.buffer(DType::kInt64, 1);                // batches seen
    return out;
  }

  void relu(const std::string& name) { model_.layer(name, relu_cost(image_.elements())); }

  ModelBuilder model_;
  Image image_;
};

}  // namespace

Model resnet_model(const ResNetShape& shape, int64_t image_pixels) {
  return ResNetBuilder({.channels = 3, .pixels = image_pixels}).build(shape);
}

}  // namespace brigade
