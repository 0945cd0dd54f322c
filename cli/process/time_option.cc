#include "cli/process/time_option.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"

namespace onnxcmp::cli {

std::optional<absl::Duration> ReadTime(const std::string& text) {
  absl::Duration time;
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds)) {
    // NaN is not above 0.
    time = seconds > 0 ? absl::Seconds(seconds) : absl::ZeroDuration();
  } else if (!absl::ParseDuration(text, &time)) {
    return std::nullopt;
  }
  if (time <= absl::ZeroDuration()) return std::nullopt;
  return time;
}

CLI::Option* AddTime(CLI::App& app, const std::string& name, absl::Duration& time,
                     const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &time](const std::string& text) {
            const std::optional<absl::Duration> read = ReadTime(text);
            if (!read.has_value()) {
              throw CLI::ValidationError(
                  name, absl::StrCat("'", PrintableText(text), "' is no time such as 30s or 2m"));
            }
            time = *read;
          },
          help)
      ->type_name("TIME");
}

}  // namespace onnxcmp::cli
