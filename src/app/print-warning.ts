import { neutralise } from '../text/neutralise.ts'
import type { ProcessContext } from './process-context.ts'

export function printWarning(warning: string, { stderr }: Pick<ProcessContext, 'stderr'>): void {
  stderr.write(`hookdrift: warning: ${neutralise(warning)}\n`)
}
