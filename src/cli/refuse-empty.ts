import type { Command } from 'commander'
import { AuditError } from '../model/errors.ts'

/**
 * Refuses what was given as nothing, as `--history "$HISTORY"` gives where the variable is not set: the default would
 * be used in silence, or the directory in which somebody stands.
 * @throws AuditError.usage
 */
export function refuseEmpty(command: Command): void {
  const argument = command.registeredArguments.find((_, at) => isEmpty(command.args[at]))
  if (argument !== undefined) throw nothing(argument.name().toUpperCase())
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
  const option = given.find((each) => each.defaultValue !== '' && isEmpty(command.getOptionValue(each.attributeName())))
  if (option !== undefined) throw nothing(option.long ?? option.flags)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === ''
}

function nothing(name: string): AuditError {
  return AuditError.usage(`${name} is empty`, {
    advice: 'is a variable of the shell not set? Leave it out, or give it a value',
  })
}
