import { editYaml } from '../../yaml/write-yaml.ts'
import { fileReference, type PlaceContext, type PlacePlan } from './place.ts'

const parts = 'deploy/kubernetes'

/** A worker in a cluster: base and worker of the package's kustomizations in one. */
export function planKubernetes({ service, keyVariable, version, readPackageFile }: PlaceContext): PlacePlan {
  const copied = ['volume/volume.yaml', 'worker/deployment.yaml', 'service/service.yaml'].map((path) => ({
    path: path.slice(path.lastIndexOf('/') + 1),
    text: readPackageFile(`${parts}/${path}`),
  }))
  const kustomization = editYaml(
    readPackageFile(`${parts}/base/kustomization.yaml`),
    [
      [['resources'], copied.map(({ path }) => path)],
      [['images'], [{ name: 'hookdrift', newName: 'registry.example.com/hookdrift', newTag: version }]],
    ],
    ' kubectl apply -k . ; put your registry under `images`.',
  )
  return {
    folder: '',
    needs: {
      key: fileReference(`/run/secrets/hookdrift/${service}`),
      history: undefined,
      // The kubelet asks the pod's address.
      worker: { listen: '0.0.0.0:9464' },
    },
    files: [{ path: 'kustomization.yaml', text: kustomization }, ...copied],
    next: [
      {
        command: `printf %s "$${keyVariable}" | kubectl create secret generic hookdrift-keys --from-file=${service}=/dev/stdin`,
        purpose: 'the key',
      },
      {
        command: `docker build --tag REGISTRY/hookdrift:${version} CHECKOUT && docker push REGISTRY/hookdrift:${version}`,
        purpose: 'the image; put REGISTRY into kustomization.yaml',
      },
      { command: 'kubectl apply -k .', purpose: 'the worker audits at once, and each quarter of an hour' },
      { command: 'kubectl exec deploy/hookdrift -- hookdrift status', purpose: '' },
    ],
  }
}
