import { localHistory, type PlaceContext, type PlacePlan, variableReference } from './place.ts'

/** A scheduled workflow, with the package in the repository. */
export function planGithub({ keyVariable, version, readPackageFile }: PlaceContext): PlacePlan {
  const template = readPackageFile('deploy/init/github.yml')
  const workflow = template.replaceAll('ACME_KEY', keyVariable).replaceAll(tarball('0.0.0'), tarball(version))
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: [{ path: '.github/workflows/hookdrift.yml', text: workflow }, ...localHistory.files],
    next: [
      { command: `gh secret set ${keyVariable}`, purpose: 'type or paste the key' },
      { command: 'openssl rand -hex 32 | gh secret set HOOKDRIFT_SEAL_KEY', purpose: 'the installation key' },
      packPackage(version),
      { command: 'gh workflow run hookdrift', purpose: 'after you have committed and pushed the files' },
    ],
  }
}

/** No registry carries the package: the repository does. An installed package packs again. */
export function packPackage(version: string) {
  return {
    command: 'npm pack --ignore-scripts "$(npm root --global)/hookdrift"',
    purpose: `makes ${tarball(version)}, to commit with the files`,
  }
}

export function tarball(version: string): string {
  return `hookdrift-${version}.tgz`
}
