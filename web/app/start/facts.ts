// What of the first run is done: read from the desk, so that it can be left, and done elsewhere, and taken up again.
import { get, rowsOf } from '../../kit/api';
import { STAFF } from '../settings/choices';

export const steps = ['name', 'address', 'people', 'mail', 'message'] as const;
export type Step = typeof steps[number];

export interface Facts { brand: number; address: string; mailbox: number; conversation: number | undefined; done: Record<Step, boolean> }

const LOOPBACK = /^(localhost|127\.|\[::1\])/;

export const readFacts = async (): Promise<Facts> => {
  const [brands, staff, boxes, cases] = await Promise.all([
    get('/brands', { limit: 100 }), get('/users', { ...STAFF, limit: 1, fields: 'full_name' }), get('/mailboxes', { limit: 100 }), get('/cases', { limit: 1, fields: 'subject' }),
  ]);
  const brand = rowsOf(brands).find((row) => row['is_default']), box = rowsOf(boxes).find((row) => row['is_default']);
  const trial = box && rowsOf(await get(`/mailboxes/${box.id}/test`))[0];
  const base = new URL(String(brand?.['resource_url'] ?? location.href)).href;
  return {
    brand: brand?.id ?? 0, address: base.slice(0, base.indexOf('/api/')), mailbox: box?.id ?? 0, conversation: rowsOf(cases)[0]?.id,
    done: { name: !!brand?.['color'], address: !LOOPBACK.test(new URL(base).host), people: (staff.total_count ?? 0) > 1, mail: trial?.['status'] === 'PASSED', message: (cases.total_count ?? 0) > 0 },
  };
};
