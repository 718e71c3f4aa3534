// The rank of the person: the type of the role.
import type { Ref } from '../../kit/api';
import { rowOf } from '../../kit/store';
import { me } from './session';

export const rank = () => rowOf('role', me()?.role as Ref | null)?.type ?? 'CUSTOMER';
export const isAdmin = () => ['ADMIN', 'OWNER'].includes(rank());
