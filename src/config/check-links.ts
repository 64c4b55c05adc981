import { placeholdersIn, uiPlaceholders } from '../model/resource-link.ts'
import { suggestName } from '../text/nearest-name.ts'
import { describeName } from '../yaml/describe-value.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'
import { reportPlaceholders } from './link-template.ts'

/** Finds placeholders that are not known. */
export function* findLinkFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { report_url, ui_url, services } = document.value
  yield* unknownIn(report_url, ['report_url'], reportPlaceholders, document)
  yield* unknownIn(ui_url, ['ui_url'], uiPlaceholders, document)
  for (const [index, service] of services.entries()) {
    yield* unknownIn(service.ui_url, ['services', index, 'ui_url'], uiPlaceholders, document)
  }
}

function* unknownIn(
  template: string | undefined,
  path: readonly (string | number)[],
  known: readonly string[],
  document: ReadDocument<DecodedConfiguration>,
): Generator<FileProblem> {
  for (const { name, offset } of placeholdersIn(template ?? '')) {
    if (known.includes(name)) continue
    const hint = suggestName(name, known) || `, expected one of ${known.join(', ')}`
    yield document.problemWithin(path, offset, `there is no placeholder ${describeName(name)} here${hint}`)
  }
}
