import type { NodePath } from '../yaml/node-values.ts'
import { isChannelSecret, unsetSecret } from './notify-schema.ts'

/** Whether no message and no command may show the value at a path of the configuration. */
export function isSecretPath(path: NodePath): boolean {
  return path.includes('key') || path.includes('seal_key') || path.includes('headers') || isChannelSecret(path)
}

/** Takes the place of a secret that is not used: it has the form of one. */
export function secretPlaceholder(path: NodePath): string {
  return isChannelSecret(path) ? unsetSecret(path[2]) : '0'.repeat(32)
}
