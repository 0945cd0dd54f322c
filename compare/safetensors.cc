// The .safetensors format: the length of a header, the header in JSON, the tensors' bytes one after
// the other.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/base/internal/endian.h"
