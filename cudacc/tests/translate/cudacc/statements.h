// The statements of grammar.cu: loops, choices, jumps, what conditions declare, assignments.
// SPDX-License-Identifier: MIT

struct three_ints {
    int v[3];
    HD int *begin() { return v; }
    HD int *end() { return v + 3; }
};
struct point {
    int x, y;
};

HD int statements(int *p) {
    int total = 0, list[] = {p[1], p[2], p[3]};
    three_ints range = {{p[4], p[5], p[6]}};
    for (int v : list)
        total += v;
    for (auto &v : range)
        total += v++;
    for (const int v : list)
        if (v % 2)
            continue;
        else
            total += v;
    auto [x, y] = point{p[1], p[2]};
    auto &[first, second, third] = list;
    first += x + y, second = third;
#if !defined CPU_DEVICE_TRACE || __GNUC__ != 11 // whose traced vectors have a member more
    const auto [one, two, three, four] = make_int4(p[1], p[2], p[3], p[4]);
    first += one + four - two - three;
#endif
    if (int v = p[3]; v > 2)
        total += v;
    else if (const int w = v + 1; w)
        total -= w;
    switch (int v = p[2]; v) {
    case 1:
        total = 0;
        break;
    case 2: {
        total += 1;
        [[fallthrough]];
    }
    case THIRD:
        total += 2;
        [[fallthrough]];
    default:
        total += 4;
    }
    for (int i = 0, j = 3; i < j; i++, --j)
        total += i * j;
    do
        total++;
    while (total % 5);
    int i = 0;
again:
    if (++i < 3)
        goto again;
    while (true) {
        if (i++ > 5)
            break;
        p[7] += p[1] ? p[2] : i;
    }
    total += p[7], total += not x or (y and p[1]) ? 1 : 0;
    using row = int[2];
    typedef point pair[1];
    row r = {first, second};
    pair q = {{third, 1}};
    p[0] = r[0] + q[0].x;
    {
        namespace here = ::grammar_names::inside;
        using here::four, grammar_names::one;
        total += four() + one();
    }
    return total + p[0];
}

HD int loops(int *p) {
    int total = 0, k = 0, n = p[7];
    switch (n % 4) {
        for (; k < n;) {
        case 0:
            total += p[k++];
            [[fallthrough]];
        case 3:
            total += p[k++];
            [[fallthrough]];
        case 2:
            total += p[k++];
            [[fallthrough]];
        case 1:
            total += p[k++];
        }
    }
    if (p[1])
        for (int i = 0; i < 3; i++)
            do
                total += p[i];
            while (total % 3);
    else
        for (;;)
            if (total++ > 20)
                break;
    for (int *q = p; q < p + 2; ++q)
        if (*q)
            total += 2;
        else if (q[1])
            total += 3;
    if (total > 60)
    first_store:
        p[4] += 1;
    else if (total > 20)
    second_store:
        p[4] += 2;
    if (p[4] == 7)
        goto first_store;
    if (p[4] == 6)
        goto second_store;
    for (auto [x, y] : (point[2]){{1, 2}, {p[3], p[4]}})
        total += x * y;
    for (
        int i = 0; [&] { return i < 3; }(); [&] { i++; }())
        total += [=] {
            for (int j = 0; j < 3; j++)
                if (j == i)
                    return j;
            return 0;
        }();
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
        if (i == 2)
            continue;
        total += p[i];
    }
    return total;
}

struct deep {
    struct {
        int b;
        point q[2];
    } a[2];
};

HD int assignments(int *p) {
    int i = 1, j = 6;
    deep d = {{{1, {{2, 3}, {4, 5}}}}}, *e = &d;
    point q[2] = {{p[1], p[2]}, {}}, *at = reinterpret_cast<point *>(p);
    p[0] = p[1] = p[2];
    int *store = p;
    const int *load = p + 3;
    *store++ = *load++, *--store += *--load;
    q[0] = {1, 2}, (*q).x = 3, q->y += q->x, q[1] = *q;
    at[1] = q[0], at[2] = e->a[0].q[1], *(at + 3) = point{8, 9};
    e->a[i] = d.a[0], e->a[1].q[i].x += p[4];
    int &r = p[5], point::*m = &point::y;
    r = 5, r <<= 1, at->*m = 4, (q[0].*m)--;
    (p[1] > 1 ? p[0] : p[1]) = 3;
    p[i++] += p[j--], ++p[i], p[i]--;
    volatile int *v = p;
    *v = *v + 1;
    auto swap = [](auto &a, auto &b) {
        auto old = a;
        a = b;
        b = old;
    };
    swap(p[6], p[7]), swap(q[0], q[1]), swap(at[0], at[2]);
    if (p[3])
        p[4] = 1;
    else {
        p[4] = 2, p[5] = 3;
    }
    point c = p[0] > p[1] ? q[1] : at[1];
    return c.x + c.y + p[0] + p[1] + 2 * p[2] + 3 * p[3] + p[4] + p[5] + 5 * p[6] + p[7] +
           d.a[1].q[1].x;
}
