import { X509Certificate } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { reasonOf } from '../model/errors.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'
import type { ReferenceSources } from './expand-references.ts'

export interface ConfigurationReadContext {
  readonly file: string
  readonly sources: ReferenceSources
  readonly document: ReadDocument<DecodedConfiguration>
  readonly problems: FileProblem[]
}

/** The certificates that a service names in `ca_file`; undefined for none, or where a problem was found. */
export function authorityOf(
  index: number,
  { file, sources, document, problems }: ConfigurationReadContext,
): string | undefined {
  const path = document.value.services[index]?.ca_file
  if (path === undefined) return undefined
  const refuse = (text: string) => {
    problems.push(document.problem(['services', index, 'ca_file'], text))
    return undefined
  }
  let pem: string
  try {
    pem = sources.readFile(resolveFrom(file, path))
  } catch (thrown) {
    return refuse(`cannot read ${path}: ${reasonOf(thrown)}`)
  }
  return isCertificate(pem) ? pem : refuse(`${path} does not contain a certificate, expected one or more in PEM form`)
}

function isCertificate(pem: string): boolean {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return certificates.map((certificate) => new X509Certificate(certificate)).length > 0
  } catch {
    return false
  }
}

/** A path in the configuration is relative to its folder. */
export function resolveFrom(file: string, path: string): string {
  return resolve(dirname(file), path)
}
