import { editYaml } from '../../yaml/write-yaml.ts'
import { fileReference, type PlaceContext, type PlacePlan } from './place.ts'

/** A worker in a container: `compose.yaml` of the package without its simulated service. */
export function planCompose({ service, keyVariable, version, readPackageFile }: PlaceContext): PlacePlan {
  const worker = ['services', 'worker']
  const compose = editYaml(
    readPackageFile('compose.yaml'),
    [
      [['x-hardened', 'build'], undefined],
      [['x-hardened', 'image'], `hookdrift:${version}`],
      [['services', 'service'], undefined],
      [[...worker, 'depends_on'], undefined],
      [[...worker, 'volumes', 0], './conf:/etc/hookdrift:ro'],
      [[...worker, 'secrets'], [service]],
      [
        [...worker, 'healthcheck', 'test'],
        ['CMD', 'hookdrift', 'status', '--max-age', '1h'],
      ],
      [['secrets'], { [service]: { file: `./keys/${service}` } }],
    ],
    ` A worker that audits each quarter of an hour. Its configuration is in conf/, and the key in keys/${service}.
 The history and the installation key are in the volume \`history\`.`,
  )
  const [keys, file] = ['keys', `keys/${service}`]
  return {
    folder: 'conf/',
    needs: {
      key: fileReference(`/run/secrets/${service}`),
      history: undefined,
      worker: { listen: '0.0.0.0:9464' },
    },
    files: [
      { path: 'compose.yaml', text: compose },
      { path: `${keys}/.gitignore`, text: '*\n!.gitignore\n' },
    ],
    next: [
      {
        command: `chmod 700 ${keys} && printf %s "$${keyVariable}" > ${file} && chmod 444 ${file}`,
        purpose: 'the key, which the user of the container reads',
      },
      {
        command: `docker build --tag hookdrift:${version} CHECKOUT`,
        purpose: 'the image, from a checkout of hookdrift',
      },
      { command: 'docker compose up --detach', purpose: 'the worker audits at once, and each quarter of an hour' },
      { command: 'docker compose exec worker hookdrift status', purpose: '' },
    ],
  }
}
