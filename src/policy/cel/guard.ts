import type { ASTNode } from '@marcbachmann/cel-js'
import { cel } from './cel.ts'
import { isMacro } from './inspect.ts'
import { spentCall } from './language.ts'

/**
 * Rewrites an expression so that each round of each macro counts a step and ends when none is left. The language has no
 * such limit.
 */
export function guarded(node: ASTNode): string {
  switch (node.op) {
    case 'value':
    case 'id':
      return cel().serialize(node)
    case '.':
      return `${guarded(node.args[0])}.${node.args[1]}`
    case '[]':
      return `${guarded(node.args[0])}[${guarded(node.args[1])}]`
    case 'call':
      return `${node.args[0]}(${node.args[1].map(guarded).join(', ')})`
    case 'rcall':
      return isMacro(node) ? guardedMacro(node) : methodCall(node, node.args[2].map(guarded))
    case 'list':
      return `[${node.args.map(guarded).join(', ')}]`
    case 'map':
      return `{${node.args.map(([key, value]) => `${guarded(key)}: ${guarded(value)}`).join(', ')}}`
    case '?:': {
      const [condition, one, other] = node.args
      return `(${guarded(condition)} ? ${guarded(one)} : ${guarded(other)})`
    }
    case '!_':
      return `!(${guarded(node.args)})`
    case '-_':
      return `-(${guarded(node.args)})`
    case '.?':
    case '[?]':
      throw new Error('optional access is off')
    default:
      return `(${guarded(node.args[0])} ${node.op} ${guarded(node.args[1])})`
  }
}

function guardedMacro(node: ASTNode & { op: 'rcall' }): string {
  const [name, , [variable, ...rest]] = node.args
  const [first = '', second] = rest.map(guarded)
  const over = variable === undefined ? '' : guarded(variable)
  // The result that ends each macro's loop soonest. The evaluation as a whole then fails.
  if (name === 'map' && second === undefined) return methodCall(node, [over, `!${spentCall}()`, first])
  const onTheWayOut = name === 'exists' ? 'true' : 'false'
  return methodCall(node, [over, `(${spentCall}() ? ${onTheWayOut} : ${first})`, ...(second ? [second] : [])])
}

function methodCall(node: ASTNode & { op: 'rcall' }, args: readonly string[]): string {
  return `${guarded(node.args[1])}.${node.args[0]}(${args.join(', ')})`
}
