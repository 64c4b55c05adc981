import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'

/** An object of Kubernetes. */
export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly [field: string]: unknown
}

/** As much of a kustomization as those of the project use. */
const kustomizationSchema = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  resources: z.array(z.string()).default([]),
  configMapGenerator: z
    .array(z.strictObject({ name: z.string(), behavior: z.literal('merge').optional(), files: z.array(z.string()) }))
    .default([]),
  generatorOptions: z.strictObject({ disableNameSuffixHash: z.literal(true) }).optional(),
  labels: z.array(z.strictObject({ pairs: z.record(z.string(), z.string()) })).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
})

/** The objects that `kubectl kustomize` makes of a folder. Anything that is not in the schema above is an error. */
export function readKustomization(folder: string): readonly Manifest[] {
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
  const read = kustomizationSchema.parse(parse(textOf('kustomization.yaml')))
  const manifests = read.resources.flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return readKustomization(path)
    return parseAllDocuments(textOf(name)).map((document) => document.toJS())
  })
  for (const { name, behavior, files } of read.configMapGenerator) {
    const data = Object.fromEntries(files.map((file) => [file, textOf(file)]))
    const at = manifests.findIndex(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
    const former = manifests[at]
    if ((former === undefined) !== (behavior === undefined)) throw new Error(`${folder}: ${name} cannot be merged`)
    if (former === undefined) manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
    else manifests[at] = { ...former, data: Object.assign({}, former.data, data) }
  }
  const pairs = Object.assign({}, ...read.labels.map(({ pairs }) => pairs))
  return manifests.map((manifest) => replaceImages(addLabels(manifest, pairs), read.images))
}

function addLabels(manifest: Manifest, pairs: Readonly<Record<string, string>>) {
  if (Object.keys(pairs).length === 0) return manifest
  const labels = { ...manifest.metadata.labels, ...pairs }
  return { ...manifest, metadata: { ...manifest.metadata, labels } }
}

function replaceImages(
  manifest: Manifest,
  images: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[],
): Manifest {
  return JSON.parse(JSON.stringify(manifest), (key, value) => {
    const image = key === 'image' && images.find(({ name }) => name === value)
    return image ? `${image.newName}:${image.newTag}` : value
  })
}
