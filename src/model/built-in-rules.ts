import { kinds } from './resource.ts'

const namespaces: readonly string[] = [...kinds, 'drift', 'waiver', 'violation']

/** Whether a rule is one of hookdrift itself, which has a page: `hookdrift rules ID` shows it. */
export function isBuiltInRule(id: string): boolean {
  return namespaces.includes(id.split('/', 1)[0] ?? '')
}
