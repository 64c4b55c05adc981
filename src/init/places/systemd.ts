import { fileReference, type PlaceContext, type PlacePlan } from './place.ts'

const units = ['hookdrift-worker.service', 'hookdrift.sysusers']

/** A worker as a unit of systemd, with the files of the package. */
export function planSystemd({ service, readPackageFile }: PlaceContext): PlacePlan {
  return {
    folder: '',
    needs: {
      key: fileReference(`./keys/${service}`),
      history: '/var/lib/hookdrift/hookdrift.db',
      worker: { listen: undefined },
    },
    files: units.map((name) => ({ path: name, text: readPackageFile(`deploy/systemd/${name}`) })),
    next: [
      {
        command: 'install -m 0644 hookdrift.sysusers /usr/lib/sysusers.d/hookdrift.conf && systemd-sysusers',
        purpose: 'as root, like all that follows',
      },
      {
        command:
          'install -d -m 0750 -g hookdrift /etc/hookdrift /etc/hookdrift/keys && install -m 0640 -g hookdrift hookdrift.yaml policy.yaml /etc/hookdrift',
        purpose: '',
      },
      {
        command: `install -m 0640 -g hookdrift /dev/stdin /etc/hookdrift/keys/${service}`,
        purpose: 'paste the key, then Ctrl-D',
      },
      {
        command:
          'install -m 0644 hookdrift-worker.service /etc/systemd/system && systemctl daemon-reload && systemctl enable --now hookdrift-worker',
        purpose: 'the worker audits at once, and each quarter of an hour',
      },
      {
        command: 'cd /etc/hookdrift && sudo -u hookdrift hookdrift status',
        purpose: '',
      },
    ],
  }
}
