import { composeCompliance as compose } from '../../src/report/compliance/compose-compliance.ts'
import { checkDocument } from '../documents.ts'

/** Composes a report by controls, which follows its published schema. */
export function composeCompliance(...given: Parameters<typeof compose>): ReturnType<typeof compose> {
  return checkDocument(compose(...given))
}
