import { type Diagnosis, ok } from './check.ts'

/** The program's entry refuses older releases of Node before it loads anything. */
export function checkNode(nodeVersion: string, toolVersion: string): readonly Diagnosis[] {
  return [ok(`Node ${nodeVersion}, hookdrift ${toolVersion}`)]
}
