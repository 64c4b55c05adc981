import type { Command } from 'commander'
import { AuditError } from '../model/errors.ts'

/**
 * Refuses an empty value, as `--history "$HISTORY"` gives where the variable is not set: otherwise the command would
 * silently use the default or the working directory.
 * @throws AuditError.usage when an argument or an option is empty
 */
export function refuseEmpty(command: Command): void {
  const argument = command.registeredArguments.find((_, at) => isEmpty(command.args[at]))
  if (argument !== undefined) throw emptyError(argument.name().toUpperCase())
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
  const option = given.find((each) => each.defaultValue !== '' && isEmpty(command.getOptionValue(each.attributeName())))
  if (option !== undefined) throw emptyError(option.long ?? option.flags)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === ''
}

function emptyError(name: string): AuditError {
  return AuditError.usage(`${name} is empty`, {
    advice: 'is a shell variable not set? Remove the option, or give it a value',
  })
}
