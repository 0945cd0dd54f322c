#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/messages.h"
#include "record/text/display_text.h"

namespace onnxcmp::cli {
namespace {

// The scripts ask the program for the options of a command, so that they never lag behind it.
// {{commands}} stands for the names of all commands.
constexpr char kBash[] =
    R"sh(# onnxcmp completion bash: source it, or put it where bash-completion looks.
_onnxcmp() {
  local word=${COMP_WORDS[COMP_CWORD]} command=
  case " {{commands}} " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(onnxcmp $command --help | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)" -- "$word"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{{commands}}" -- "$word") $(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _onnxcmp onnxcmp
)sh";

constexpr char kZsh[] = R"sh(#compdef onnxcmp
# onnxcmp completion zsh > _onnxcmp, in a folder of $fpath.
_onnxcmp() {
  local command=
  [[ " {{commands}} " == *" ${words[2]} "* ]] && command=${words[2]}
  if [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${(f)"$(onnxcmp $command --help | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)"}
  else
    ((CURRENT == 2)) && compadd -- {{commands}}
    _files
  fi
}
compdef _onnxcmp onnxcmp
)sh";

constexpr char kFish[] =
    R"sh(# onnxcmp completion fish > ~/.config/fish/completions/onnxcmp.fish
function __onnxcmp_options
  set -l word (commandline -opc)[2]
  contains -- "$word" {{commands}}; or set word
  onnxcmp $word --help | string match -ar -- '--[a-z][a-z0-9-]*'
end
complete -c onnxcmp -n '__fish_is_first_token' -a '{{commands}}'
complete -c onnxcmp -n 'string match -q -- "-*" (commandline -ct)' -a '(__onnxcmp_options)'
)sh";

}  // namespace

int HelpCommand(const std::vector<std::string>& arguments) {
  CLI::App app("The options of a command, or of the comparison of two sides.", "onnxcmp help");
  SetUsage(app, "onnxcmp help [COMMAND]");
  std::string name;
  app.add_option("command", name, "Name of a command")->type_name("");
  if (const std::optional<int> status = Parse(app, arguments)) return *status;
  if (name.empty()) return CompareCommand({"--help"});
  for (const Command& command : Commands()) {
    if (name == command.name) return command.run({"--help"});
  }
  const std::vector<std::string> names = NamesOfCommands();
  PrintError(absl::StrCat("there is no command '", PrintableText(name), "'",
                          NearestWord(name, names), "; commands: ", absl::StrJoin(names, ", ")));
  return kFailed;
}

int CompletionCommand(const std::vector<std::string>& arguments) {
  CLI::App app("Completions for a shell, to be sourced or kept where the shell looks for them.",
               "onnxcmp completion");
  SetUsage(app, "onnxcmp completion bash|zsh|fish");
  std::string shell;
  app.add_option("shell", shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(OneOf({"bash", "zsh", "fish"}));
  if (const std::optional<int> status = Parse(app, arguments)) return *status;
  const char* script = shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
  const std::string commands = absl::StrJoin(NamesOfCommands(), " ");
  return PrintOutput(absl::StrReplaceAll(script, {{"{{commands}}", commands}})) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
