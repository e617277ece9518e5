import { EXIT, type ExitCode, UsageFailure } from '../failure.js';
import { print } from '../output.js';
import { words } from '../usage.js';

/** `mandat completion SHELL`: prints the completion of commands, options and files. */
export function completionCommand(shell: string): ExitCode {
  if (shell !== 'bash' && shell !== 'zsh') throw new UsageFailure('mandat completion takes bash or zsh.');
  const cases = words().map(([command, options]) => `    ${command}) words='${options.join(' ')}' ;;`);
  const names = words().map(([command]) => command);
  print([
    ...(shell === 'zsh' ? ['autoload -Uz bashcompinit && bashcompinit'] : []),
    '_mandat() {',
    "  local words='' current=${COMP_WORDS[COMP_CWORD]}",
    '  case ${COMP_WORDS[1]} in',
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && words='${names.join(' ')}'`,
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o bashdefault -o default -F _mandat mandat',
  ]);
  return EXIT.done;
}
